import { execFile } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { promisify } from 'node:util';
import { startStorageThread } from './storage-thread.js';

const running = (code: string): URL =>
  new URL(
    `data:text/javascript,${encodeURIComponent(`import { parentPort, workerData } from 'node:worker_threads'; ${code}`)}`,
  );
/** A worker that reports its data, and ends when it is ordered to. */
const obedient = running(
  "parentPort.postMessage({ opened: workerData }); parentPort.once('message', (order) => { parentPort.postMessage({ order }); process.exit(order.code); });",
);

it('is there once the thread has said something, and hands on what it said', async () => {
  const thread = await startStorageThread<{ opened: string }>({
    script: obedient,
    workerData: 'events.db',
  });
  expect(thread.report).toEqual({ opened: 'events.db' });
  await thread.close({ code: 0 });
});

it.each([
  ['ends', 'process.exit(3)', 'ended with code 3'],
  ['fails', "throw new Error('no such file')", 'no such file'],
])('is refused when the thread %s before it has said anything', async (_how, code, words) => {
  await expect(
    startStorageThread({ script: running(code), workerData: undefined }),
  ).rejects.toThrow(words);
});

it('has crashed when it ends unasked', async () => {
  const { worker, crashed } = await startStorageThread({ script: obedient, workerData: undefined });
  worker.postMessage({ code: 7 });
  expect((await crashed).message).toContain('ended with code 7');
});

it('gets the order to end, is gone when that is answered, and has not crashed then', async () => {
  const thread = await startStorageThread({ script: obedient, workerData: undefined });
  const said = once(thread.worker, 'message');
  const order = { code: 5 };
  await thread.close(order);
  expect(await said).toEqual([{ order }]);
  expect(thread.worker.threadId).toBe(-1);
  expect(
    await Promise.race([
      thread.crashed,
      new Promise((resolve) => setImmediate(resolve, 'not crashed')),
    ]),
  ).toBe('not crashed');
});

it('keeps no process alive', async () => {
  const built = pathToFileURL(join(__dirname, '../dist/index.js')).href;
  const code = `const { startStorageThread } = await import(${JSON.stringify(built)}); await startStorageThread({ script: new URL(${JSON.stringify(obedient.href)}), workerData: 'open' }); console.log('open');`;
  const { stdout } = await promisify(execFile)(
    process.execPath,
    ['--input-type=module', '-e', code],
    { timeout: 30_000 },
  );
  expect(stdout).toBe('open\n');
});
