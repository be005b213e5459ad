import { spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { DirectoryLocked, isDirectoryLocked, lockDirectory, SqliteError } from './index.js';

const built = new URL('../dist/index.js', import.meta.url).href;

let directory: string;
const children: ChildProcess[] = [];
beforeEach(() => {
  directory = mkdtempSync(join(tmpdir(), 'refledger-lock-'));
});
afterEach(async () => {
  for (const child of children.splice(0)) await kill(child);
  rmSync(directory, { recursive: true, force: true });
});

/** Starts a process that takes the lock (or prints why it can't) and then waits. */
const holder = async (): Promise<{ child: ChildProcess; reported: string }> => {
  const script = `import { lockDirectory } from ${JSON.stringify(built)};
    try { lockDirectory(${JSON.stringify(directory)}); console.log('locked'); globalThis.gc?.(); } catch (error) { console.log(error.message); }
    setInterval(() => globalThis.gc?.(), 5);`;
  const child = spawn(process.execPath, ['--expose-gc', '--input-type=module', '-e', script], {
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  children.push(child);
  const [reported] = (await once(child.stdout, 'data')) as [Buffer];
  return { child, reported: reported.toString().trim() };
};

const kill = async (child: ChildProcess): Promise<void> => {
  if (child.exitCode !== null || child.signalCode !== null) return;
  child.kill('SIGKILL');
  await once(child, 'exit');
};

const refusal = (): unknown => {
  try {
    lockDirectory(directory).release();
    return undefined;
  } catch (error) {
    return error;
  }
};

it('is held by one process, and the error that a second one gets names it', async () => {
  const first = await holder();
  expect(first.reported).toBe('locked');
  expect(isDirectoryLocked(directory)).toBe(true);
  const error = refusal();
  expect(error).toBeInstanceOf(DirectoryLocked);
  expect(error).toMatchObject({ directory: directory, pid: first.child.pid });
  expect(String(error)).toContain(`is in use by process ${first.child.pid}, started 20`);
  const second = await holder();
  expect(second.reported).toContain(`in use by process ${first.child.pid}`);
});

it('does not block the next start after its holder is killed', async () => {
  for (let round = 0; round < 3; round += 1) {
    const { child, reported } = await holder();
    expect(reported).toBe('locked');
    await kill(child);
    expect(existsSync(join(directory, 'lock.pid'))).toBe(true);
    expect(isDirectoryLocked(directory)).toBe(false);
  }
  expect(refusal()).toBeUndefined();
});

it('excludes its own process too, until it is released', async () => {
  const lock = lockDirectory(directory);
  expect(isDirectoryLocked(directory)).toBe(true);
  expect(refusal()).toMatchObject({ pid: process.pid });
  // Neither the check nor the refused attempt, which both open the file, dropped this process's
  // lock.
  expect((await holder()).reported).toContain(`in use by process ${process.pid}`);
  lock.release();
  lock.release();
  expect(isDirectoryLocked(directory)).toBe(false);
  expect((await holder()).reported).toBe('locked');
});

it('survives damage to its files, whether or not a process holds it', async () => {
  const damage = (): void => {
    writeFileSync(join(directory, 'lock.db'), 'a letter to a friend\n'.repeat(100), { flag: 'r+' });
    writeFileSync(join(directory, 'lock.pid'), 'null');
  };
  const { child } = await holder();
  damage();
  expect(isDirectoryLocked(directory)).toBe(true);
  expect(refusal()).toMatchObject({ message: `${directory} is in use by another process` });

  await kill(child);
  damage();
  expect(isDirectoryLocked(directory)).toBe(false);
  expect(refusal()).toBeUndefined();
});

it('creates the directory, and reports when it cannot', () => {
  const inner = join(directory, 'a', 'b');
  expect(isDirectoryLocked(inner)).toBe(false);
  lockDirectory(inner).release();
  expect(existsSync(join(inner, 'lock.db'))).toBe(true);
  writeFileSync(join(directory, 'file'), '');
  expect(() => lockDirectory(join(directory, 'file', 'c'))).toThrow(SqliteError);
});
