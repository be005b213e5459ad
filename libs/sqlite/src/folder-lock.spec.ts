import { spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { FolderLocked, isFolderLocked, lockFolder, SqliteError } from './index.js';

const built = new URL('../dist/index.js', import.meta.url).href;

let folder: string;
const children: ChildProcess[] = [];
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'refledger-lock-'));
});
afterEach(async () => {
  for (const child of children.splice(0)) await kill(child);
  rmSync(folder, { recursive: true, force: true });
});

/** Starts a process that takes the lock (or prints why it can't) and then waits. */
const holder = async (): Promise<{ child: ChildProcess; reported: string }> => {
  const script = `import { lockFolder } from ${JSON.stringify(built)};
    try { lockFolder(${JSON.stringify(folder)}); console.log('locked'); globalThis.gc?.(); } catch (error) { console.log(error.message); }
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
    lockFolder(folder).release();
    return undefined;
  } catch (error) {
    return error;
  }
};

it('is held by one process, and the error that a second one gets names it', async () => {
  const first = await holder();
  expect(first.reported).toBe('locked');
  expect(isFolderLocked(folder)).toBe(true);
  const error = refusal();
  expect(error).toBeInstanceOf(FolderLocked);
  expect(error).toMatchObject({ folder, pid: first.child.pid });
  expect(String(error)).toContain(`is in use by process ${first.child.pid}, started 20`);
  const second = await holder();
  expect(second.reported).toContain(`in use by process ${first.child.pid}`);
});

it('does not block the next start after its holder is killed', async () => {
  for (let round = 0; round < 3; round += 1) {
    const { child, reported } = await holder();
    expect(reported).toBe('locked');
    await kill(child);
    expect(existsSync(join(folder, 'lock.pid'))).toBe(true);
    expect(isFolderLocked(folder)).toBe(false);
  }
  expect(refusal()).toBeUndefined();
});

it('excludes its own process too, until it is released', async () => {
  const lock = lockFolder(folder);
  expect(isFolderLocked(folder)).toBe(true);
  expect(refusal()).toMatchObject({ pid: process.pid });
  // Neither the check nor the refused attempt, which both open the file, dropped this process's
  // lock.
  expect((await holder()).reported).toContain(`in use by process ${process.pid}`);
  lock.release();
  lock.release();
  expect(isFolderLocked(folder)).toBe(false);
  expect((await holder()).reported).toBe('locked');
});

it('survives damage to its files, whether or not a process holds it', async () => {
  const damage = (): void => {
    writeFileSync(join(folder, 'lock.db'), 'a letter to a friend\n'.repeat(100), { flag: 'r+' });
    writeFileSync(join(folder, 'lock.pid'), 'null');
  };
  const { child } = await holder();
  damage();
  expect(isFolderLocked(folder)).toBe(true);
  expect(refusal()).toMatchObject({ message: `${folder} is in use by another process` });

  await kill(child);
  damage();
  expect(isFolderLocked(folder)).toBe(false);
  expect(refusal()).toBeUndefined();
});

it('creates the directory, and reports when it cannot', () => {
  const inner = join(folder, 'a', 'b');
  expect(isFolderLocked(inner)).toBe(false);
  lockFolder(inner).release();
  expect(existsSync(join(inner, 'lock.db'))).toBe(true);
  writeFileSync(join(folder, 'file'), '');
  expect(() => lockFolder(join(folder, 'file', 'c'))).toThrow(SqliteError);
});
