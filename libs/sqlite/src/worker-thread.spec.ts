import { execFile } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { promisify } from 'node:util';
import { MessageChannel, type MessagePort } from 'node:worker_threads';
import { startThread } from './worker-thread.js';

const built = JSON.stringify(pathToFileURL(join(__dirname, '../dist/index.js')).href);
const running = (code: string): URL =>
  new URL(
    `data:text/javascript,${encodeURIComponent(`import { parentPort, workerData } from 'node:worker_threads'; ${code}`)}`,
  );

interface Counting {
  add(n: number): number;
  addLater(n: number): Promise<number>;
  divide(by: number): number;
  sendTo(port: MessagePort): void;
  exit(code: number): never;
}

/** A worker that adds to the number in its data. */
const counting = running(`
  const { CallServer, callsTo } = await import(${built});
  let sum = workerData;
  const later = [];
  new CallServer(parentPort, {
    perform: callsTo({
      add: (n) => (sum += n),
      addLater: (n) => new Promise((resolve) => later.push(() => resolve(sum += n))),
      divide: (by) => { if (by === 0) throw new RangeError('by zero'); if (by < 0) throw new Error('a mistake'); return sum / by; },
      sendTo: (port) => { port.postMessage(sum); port.close(); },
      exit: (code) => process.exit(code),
    }),
    failureOf: (error) => { if (error instanceof RangeError) return { message: error.message }; throw error; },
    onClose: () => later.forEach((finish) => finish()),
  });
`);
const options = {
  script: counting,
  workerData: 40,
  errorOf: ({ message }: { readonly message: string }) => new RangeError(message),
  unavailable: (cause?: Error) =>
    new Error(`events.db: ${cause === undefined ? 'it was closed' : 'its thread has ended'}`, {
      cause,
    }),
};
const start = (script = counting) => startThread<Counting>({ ...options, script });

it('answers calls with what the methods return', async () => {
  const thread = start();
  expect(await Promise.all([thread.call('add', 1), thread.call('add', 1)])).toEqual([41, 42]);
  await thread.close();
});

it('performs the calls of one turn in their order, however they are posted', async () => {
  const thread = start();
  const calls = [thread.callSoon('add', 1), thread.callSoon('divide', 0), thread.call('add', 1)];
  calls.push(thread.callSoon('add', 1));
  expect(await Promise.allSettled(calls)).toMatchObject([
    { value: 41 },
    { reason: expect.any(RangeError) as RangeError },
    { value: 42 },
    { value: 43 },
  ]);
  const last = thread.callSoon('add', 1);
  await thread.close();
  expect(await last).toBe(44);
  await expect(thread.callSoon('add', 1)).rejects.toThrow('events.db: it was closed');
});

it('rejects calls that cannot be posted, and goes on', async () => {
  const thread = start();
  // the cast holds: a function is no number, and cannot be posted either
  const notCloneable = (() => 1) as unknown as number;
  await expect(thread.call('add', notCloneable)).rejects.toThrow('could not be cloned');
  await expect(thread.callSoon('add', notCloneable)).rejects.toThrow('could not be cloned');
  expect(await thread.call('add', 1)).toBe(41);
  await thread.close();
});

it('throws what a method throws, with its original class', async () => {
  const thread = start();
  const [failed, next] = [thread.call('divide', 0), thread.call('divide', 4)];
  await expect(failed).rejects.toThrow(RangeError);
  expect(await next).toBe(10);
  await thread.close();
});

it('accepts transferred ports', async () => {
  const thread = start();
  const { port1, port2 } = new MessageChannel();
  const received = once(port1, 'message');
  await thread.call('sendTo', port2);
  expect(await received).toEqual([40]);
  await thread.close();
});

it.each([
  ['ends', 'process.exit(3)', 'ended with code 3'],
  ['fails', "throw new Error('no such file')", 'no such file'],
])('refuses calls when the thread %s before it answers', async (_how, code, words) => {
  const thread = start(running(code));
  await expect(thread.call('add', 1)).rejects.toMatchObject({
    message: 'events.db: its thread has ended',
    cause: { message: expect.stringContaining(words) as string },
  });
  await expect(thread.call('add', 1)).rejects.toThrow('events.db: its thread has ended');
});

it('counts as crashed when it ends by itself or because of a programming error', async () => {
  const [exiting, failing] = [start(), start()];
  const calls = [exiting.call('exit', 7), failing.call('divide', -1)];
  expect((await Promise.allSettled(calls)).map(({ status }) => status)).toEqual([
    'rejected',
    'rejected',
  ]);
  expect((await exiting.crashed).message).toContain('ended with code 7');
  expect((await failing.crashed).message).toContain('a mistake');
});

it('answers the calls made before it is closed, accepts no more, and does not count as crashed', async () => {
  const thread = start();
  const calls = [thread.call('addLater', 1), thread.call('addLater', 1)];
  const closed = thread.close();
  await expect(thread.call('add', 1)).rejects.toThrow('events.db: it was closed');
  expect(await Promise.all(calls)).toEqual([41, 42]);
  await Promise.all([closed, thread.close()]);
  expect(
    await Promise.race([
      thread.crashed,
      new Promise((resolve) => setImmediate(resolve, 'not crashed')),
    ]),
  ).toBe('not crashed');
});

it('keeps no process alive, except while a call waits', async () => {
  const code = `
    const { startThread } = await import(${built});
    const thread = startThread({ script: new URL(${JSON.stringify(counting.href)}), workerData: 40 });
    console.log(String(await thread.call('add', 2)));
  `;
  const { stdout } = await promisify(execFile)(
    process.execPath,
    ['--input-type=module', '-e', code],
    { timeout: 30_000 },
  );
  expect(stdout).toBe('42\n');
});
