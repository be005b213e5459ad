import { spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { symlinkSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Worker } from 'node:worker_threads';
import { ChangeNotifier } from './change-notifier.js';

const built = new URL('../dist/index.js', import.meta.url).href;
const longMs = 60_000;

let folder: string;
let file: string;
let open: ChangeNotifier[];
const wakeFor = (name: string, onMessage?: (message: unknown) => void): ChangeNotifier => {
  const wake = new ChangeNotifier(name, onMessage);
  open.push(wake);
  return wake;
};
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'refledger-wake-'));
  file = join(folder, 'a.db');
  writeFileSync(file, '');
  open = [];
});
afterEach(() => {
  for (const wake of open) wake.close();
  rmSync(folder, { recursive: true, force: true });
});

it('wakes every waiter of the same file, under any name of it, with the message', async () => {
  symlinkSync(file, join(folder, 'link.db'));
  const messages: unknown[] = [];
  const [writer, reader] = [
    wakeFor(file),
    wakeFor(join(folder, 'link.db'), (message) => messages.push(message)),
  ];
  const waits = [writer, writer, reader].map((wake) =>
    wake.wait({ since: wake.count, timeoutMs: longMs }),
  );
  writer.notify({ head: 7 });
  expect(await Promise.all(waits)).toEqual([true, true, true]);
  expect(messages).toEqual([{ head: 7 }]);
});

it('does not miss a change between looking and waiting', async () => {
  const wake = wakeFor(file);
  const since = wake.count;
  wake.notify();
  expect(await wake.wait({ since, timeoutMs: longMs })).toBe(true);
});

it('ends a wait when the time is up, the signal aborts, or it is closed', async () => {
  const wake = wakeFor(file);
  const aborting = new AbortController();
  const waits = [
    wake.wait({ since: wake.count, timeoutMs: 1 }),
    wake.wait({ since: wake.count, timeoutMs: longMs, signal: aborting.signal }),
    wake.wait({ since: wake.count, timeoutMs: longMs, signal: AbortSignal.abort() }),
    wake.wait({ since: wake.count, timeoutMs: longMs }),
  ];
  aborting.abort();
  const keepAlive = setInterval(() => undefined, 1000);
  expect(await Promise.all(waits.slice(0, 3))).toEqual([false, false, false]);
  wake.close();
  expect(await waits[3]).toBe(false);
  clearInterval(keepAlive);
});

it('is woken by another thread', async () => {
  const wake = wakeFor(file);
  const since = wake.count;
  const worker = new Worker(
    `import(${JSON.stringify(built)}).then(({ Wake }) => { const wake = new Wake(${JSON.stringify(file)}); wake.notify('from afar'); wake.close(); })`,
    { eval: true },
  );
  const ended = once(worker, 'exit');
  expect(await wake.wait({ since, timeoutMs: longMs })).toBe(true);
  await ended;
});

it('keeps no process alive', () => {
  const script = `import { Wake } from ${JSON.stringify(built)}; const wake = new Wake(${JSON.stringify(file)}); wake.wait({ since: 0, timeoutMs: 600000 });`;
  expect(
    spawnSync(process.execPath, ['--input-type=module', '-e', script], { timeout: 60_000 }).status,
  ).toBe(0);
});
