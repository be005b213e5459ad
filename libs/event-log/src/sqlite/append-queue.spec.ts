import { once } from 'node:events';
import { MessageChannel, type MessagePort } from 'node:worker_threads';
import { encodeAppend, type EncodedAppend } from '../encode-append.js';
import { newEvent, newStream } from '../conformance/under-test.js';
import type { GroupStatistics } from '../open-event-log-options.js';
import { AppendQueue } from './append-queue.js';
import type { CommitResult } from './append.protocol.js';
import type { Failure } from './failure.js';

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
interface Group {
  readonly id: number;
  readonly appends: readonly EncodedAppend[];
}
const nextGroup = async (): Promise<Group> => {
  const [calls] = (await once(writer, 'message')) as [
    readonly { id: number; method: string; args: [readonly EncodedAppend[]] }[],
  ];
  expect(calls).toMatchObject([{ method: 'append' }]);
  const [{ id, args }] = calls as [(typeof calls)[number]];
  return { id, appends: args[0] };
};
const respond = ({ id }: Group, value: CommitResult): void => writer.postMessage([{ id, value }]);
const fail = ({ id }: Group, failure: Failure): void => writer.postMessage([{ id, failure }]);
const commit = (group: Group): void =>
  respond(group, {
    commitMs: 1,
    responses: group.appends.map((_, n) => ({ kind: 'appended', revision: 0, position: n + 1 })),
  });
const outcomes = (promises: readonly Promise<unknown>[]): Promise<unknown[]> =>
  Promise.all(
    promises.map((promise) =>
      promise.then(
        () => 'appended',
        (error: { fault: { kind: string } }) => error.fault.kind,
      ),
    ),
  );

it('sends appends that arrive during a group commit as the next group', async () => {
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

it('limits a group in count and in bytes', async () => {
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

it('fails a whole group when its commit fails, and continues with the next', async () => {
  const failing = [queue.append(request()), queue.append(request())];
  const group = await nextGroup();
  const next = queue.append(request());
  fail(group, { fault: { kind: 'unavailable' }, message: 'events.db: the disk is full' });
  expect(await outcomes(failing)).toEqual(['unavailable', 'unavailable']);
  expect(group.appends).toHaveLength(2);
  commit(await nextGroup());
  expect(await outcomes([next])).toEqual(['appended']);
});

it('reports `unknown_outcome` for appends that the writer had when it exited, and `unavailable` for the rest', async () => {
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

it('counts only successful appends', async () => {
  const [good, late] = [queue.append(request()), queue.append(request())];
  respond(await nextGroup(), {
    commitMs: 1,
    responses: [
      { kind: 'appended', revision: 0, position: 1 },
      { kind: 'wrong_revision', actual: 4 },
    ],
  });
  expect(await outcomes([good, late])).toEqual(['appended', 'wrong_revision']);
  expect(statistics).toMatchObject([{ appends: 1, events: 1 }]);
});
