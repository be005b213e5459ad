import { spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { symlinkSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Worker } from 'node:worker_threads';
import { ChangeNotifier } from './change-notifier.js';

const built = new URL('../dist/index.js', import.meta.url).href;
const longMs = 60_000;

let directory: string;
let file: string;
let open: ChangeNotifier[];
const notifierFor = (name: string, onMessage?: (message: unknown) => void): ChangeNotifier => {
  const notifier = new ChangeNotifier(name, onMessage);
  open.push(notifier);
  return notifier;
};
beforeEach(() => {
  directory = mkdtempSync(join(tmpdir(), 'refledger-wake-'));
  file = join(directory, 'a.db');
  writeFileSync(file, '');
  open = [];
});
afterEach(() => {
  for (const notifier of open) notifier.close();
  rmSync(directory, { recursive: true, force: true });
});

it('wakes every waiter of the same file, by any path, with the message', async () => {
  symlinkSync(file, join(directory, 'link.db'));
  const messages: unknown[] = [];
  const [writer, reader] = [
    notifierFor(file),
    notifierFor(join(directory, 'link.db'), (message) => messages.push(message)),
  ];
  const waits = [writer, writer, reader].map((notifier) =>
    notifier.wait({ since: notifier.count, timeoutMs: longMs }),
  );
  writer.notify({ head: 7 });
  expect(await Promise.all(waits)).toEqual([true, true, true]);
  expect(messages).toEqual([{ head: 7 }]);
});

it('does not miss a change between a check and a wait', async () => {
  const notifier = notifierFor(file);
  const since = notifier.count;
  notifier.notify();
  expect(await notifier.wait({ since, timeoutMs: longMs })).toBe(true);
});

it('ends a wait when the time is up, the signal aborts, or it is closed', async () => {
  const notifier = notifierFor(file);
  const aborting = new AbortController();
  const waits = [
    notifier.wait({ since: notifier.count, timeoutMs: 1 }),
    notifier.wait({ since: notifier.count, timeoutMs: longMs, signal: aborting.signal }),
    notifier.wait({ since: notifier.count, timeoutMs: longMs, signal: AbortSignal.abort() }),
    notifier.wait({ since: notifier.count, timeoutMs: longMs }),
  ];
  aborting.abort();
  const keepAlive = setInterval(() => undefined, 1000);
  expect(await Promise.all(waits.slice(0, 3))).toEqual([false, false, false]);
  notifier.close();
  expect(await waits[3]).toBe(false);
  clearInterval(keepAlive);
});

it('is woken by another thread', async () => {
  const notifier = notifierFor(file);
  const since = notifier.count;
  const worker = new Worker(
    `import(${JSON.stringify(built)}).then(({ ChangeNotifier }) => { const notifier = new ChangeNotifier(${JSON.stringify(file)}); notifier.notify('from afar'); notifier.close(); })`,
    { eval: true },
  );
  const ended = once(worker, 'exit');
  expect(await notifier.wait({ since, timeoutMs: longMs })).toBe(true);
  await ended;
});

it('keeps no process alive', () => {
  const script = `import { ChangeNotifier } from ${JSON.stringify(built)}; const notifier = new ChangeNotifier(${JSON.stringify(file)}); notifier.wait({ since: 0, timeoutMs: 600000 });`;
  expect(
    spawnSync(process.execPath, ['--input-type=module', '-e', script], { timeout: 60_000 }).status,
  ).toBe(0);
});
