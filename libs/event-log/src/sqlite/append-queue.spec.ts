import { once } from 'node:events';
import { MessageChannel, type MessagePort } from 'node:worker_threads';
import { encodeAppend } from '../encode-append.js';
import { newEvent, newStream } from '../conformance/under-test.js';
import { AppendQueue, type GroupStatistics } from './append-queue.js';
import type { GroupAnswer, PortMessage } from './append.protocol.js';

let writer: MessagePort;
let queue: AppendQueue;
let statistics: GroupStatistics[];
beforeEach(() => {
  const { port1, port2 } = new MessageChannel();
  writer = port1;
  statistics = [];
  queue = new AppendQueue(port2, 'events.db', (group) => statistics.push(group));
});
afterEach(() => writer.close());

const request = (data: unknown = {}) => encodeAppend(newStream(), [newEvent(data)], 'no stream');
const nextGroup = async (): Promise<Extract<PortMessage, { kind: 'group' }>> => {
  const [message] = (await once(writer, 'message')) as [PortMessage];
  if (message.kind !== 'group') throw new Error('expected a group');
  return message;
};
const commit = ({ appends }: { readonly appends: readonly unknown[] }): void =>
  writer.postMessage({
    kind: 'committed',
    commitMs: 1,
    answers: appends.map((_, n) => ({ kind: 'appended', revision: 0, position: n + 1 })),
  } satisfies GroupAnswer);
const outcomes = (promises: readonly Promise<unknown>[]): Promise<unknown[]> =>
  Promise.all(
    promises.map((promise) =>
      promise.then(
        () => 'appended',
        (error: { fault: { kind: string } }) => error.fault.kind,
      ),
    ),
  );

it('sends what gathered while a group was under way as one next group', async () => {
  const first = queue.append(request());
  const group = await nextGroup();
  expect(group.appends).toHaveLength(1);
  const more = Array.from({ length: 30 }, () => queue.append(request()));
  commit(group);
  await first;
  const second = await nextGroup();
  expect(second.appends).toHaveLength(30);
  commit(second);
  expect((await Promise.all(more)).map(({ position }) => position)).toEqual(
    more.map((_, n) => String(n + 1)),
  );
  expect(statistics).toMatchObject([
    { appends: 1, events: 1, commitMs: 1 },
    { appends: 30, events: 30, bytes: second.appends.reduce((sum, { bytes }) => sum + bytes, 0) },
  ]);
});

it('bounds a group in count and in bytes', async () => {
  const small = Array.from({ length: 700 }, () => queue.append(request()));
  const large = Array.from({ length: 9 }, () => queue.append(request('x'.repeat(1_000_000))));
  const sizes: number[] = [];
  for (let answered = 0; answered < small.length + large.length;) {
    const group = await nextGroup();
    sizes.push(group.appends.length);
    answered += group.appends.length;
    commit(group);
  }
  expect(sizes).toEqual([512, 188 + 4, 4, 1]);
  await Promise.all([...small, ...large]);
});

it('fails all of a group whose commit failed, and goes on with the next', async () => {
  const failing = [queue.append(request()), queue.append(request())];
  const group = await nextGroup();
  const next = queue.append(request());
  writer.postMessage({
    kind: 'failed',
    failure: { fault: { kind: 'unavailable' }, message: 'events.db: the disk is full' },
  } satisfies GroupAnswer);
  expect(await outcomes(failing)).toEqual(['unavailable', 'unavailable']);
  expect(group.appends).toHaveLength(2);
  commit(await nextGroup());
  expect(await outcomes([next])).toEqual(['appended']);
});

it('says `unknown_outcome` of what the writer had when it ended, and `unavailable` of the rest', async () => {
  const sent = queue.append(request());
  await nextGroup();
  const [waiting, closing] = [queue.append(request()), queue.close()];
  writer.close();
  expect(await outcomes([sent, waiting, queue.append(request())])).toEqual([
    'unknown_outcome',
    'unavailable',
    'unavailable',
  ]);
  await closing;
});

it('counts only what was appended', async () => {
  const [good, late] = [queue.append(request()), queue.append(request())];
  await nextGroup();
  writer.postMessage({
    kind: 'committed',
    commitMs: 1,
    answers: [
      { kind: 'appended', revision: 0, position: 1 },
      { kind: 'wrong_revision', actual: 4 },
    ],
  } satisfies GroupAnswer);
  expect(await outcomes([good, late])).toEqual(['appended', 'wrong_revision']);
  expect(statistics).toMatchObject([{ appends: 1, events: 1 }]);
});
