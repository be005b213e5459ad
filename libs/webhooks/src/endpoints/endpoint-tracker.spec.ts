import { newId, type EndpointId, type Position } from '@refledger/contracts';
import type { LogBatch } from '@refledger/event-log';
import { EndpointTracker, type EndpointTrackerOptions } from './endpoint-tracker.js';

const endpoint = newId('endpoint');
const position = '100' as Position;

const given = (
  options: Partial<EndpointTrackerOptions> = {},
  withWork: readonly EndpointId[] = [],
) => {
  const did: string[] = [];
  const ended = [{ endpoint, position }];
  const written: (() => void)[] = [];
  const tracker = new EndpointTracker({
    directory: {
      followTo: () => Promise.resolve(),
      async *changes() {
        yield await Promise.resolve({} as LogBatch);
      },
      take: () => undefined,
      takeEnded: () => ended.splice(0),
      endedAt: (id) => (id === endpoint ? position : undefined),
      latest: () => undefined,
    },
    store: {
      endpointsUnfinished: () => Promise.resolve(withWork),
      cancel: (id, { decidedBelow, reason }) =>
        new Promise((resolve) => {
          did.push(`canceled ${id} below ${decidedBelow}: ${reason}`);
          written.push(() => resolve(1));
        }),
    },
    clock: { now: () => 0 },
    state: { maySend: true },
    memories: [{ forget: (id) => void did.push(`forgot ${id}`) }],
    logRetry: (what) => void did.push(`failed: ${what}`),
    ...options,
  });
  return { tracker, did, written };
};

it('cancels the deliveries of an endpoint that is unsubscribed while it is followed, once, before planning continues', async () => {
  const { tracker, did, written } = given();
  await tracker.follow(new AbortController().signal);
  expect(did).toEqual([
    `forgot ${endpoint}`,
    `canceled ${endpoint} below 100: the endpoint was unsubscribed`,
  ]);
  let keepsSending = false;
  const following = tracker.followTo().then(() => (keepsSending = true));
  await new Promise(setImmediate);
  expect(keepsSending).toBe(false);
  for (const resolve of written) resolve();
  await following;
  expect(did).toHaveLength(2);
});

it('cancels what waits for disabled or unsubscribed endpoints, below the position of that', async () => {
  const { tracker, did, written } = given({}, [newId('endpoint'), endpoint]);
  const canceling = tracker.cancelAll();
  await new Promise(setImmediate);
  for (const resolve of written) resolve();
  await canceling;
  expect(did).toEqual([`canceled ${endpoint} below 100: the endpoint was unsubscribed`]);
});

it('cancels nothing while an operator must decide', async () => {
  const { tracker, did } = given({ state: { maySend: false } });
  await tracker.followTo();
  expect(did).toEqual([`forgot ${endpoint}`]);
});

it('continues if canceling fails, since each delivery is canceled at its next attempt', async () => {
  const fails = () => Promise.reject(new Error('the disk is full'));
  const { tracker, did } = given({ store: { endpointsUnfinished: fails, cancel: fails } });
  await tracker.followTo();
  await tracker.cancelAll();
  expect(did).toEqual([
    `forgot ${endpoint}`,
    'failed: canceling deliveries',
    'failed: canceling deliveries',
  ]);
});
