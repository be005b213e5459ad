import { derivedId, toInstant, type EndpointId } from '@refledger/contracts';
import { endpointVersion, ManualClock } from '@refledger/webhook-endpoints/testing';
import type { SweptDeliveries } from '@refledger/delivery-store';
import { startHeldSweep } from './held-sweep.js';

const [a, b] = [derivedId('endpoint', 'a'), derivedId('endpoint', 'b')];
const dayMs = 24 * 3_600_000;
const none = { waiting: 0, held: 0, sending: 0, succeeded: 0, failed: 0, canceled: 0 };

/** What one sweep does, given how many deliveries are held per endpoint, and a maximum of 10. */
const swept = async (
  held: readonly number[],
  stoppedDaysAgo: number | null,
  replaying: readonly EndpointId[] = [],
): Promise<readonly string[]> => {
  const did: string[] = [];
  const clock = new ManualClock();
  const nameOf = (which: SweptDeliveries): string => {
    if ('accountId' in which) return 'of the account';
    const name = which.endpointId === a ? 'a' : 'b';
    return which.createdBefore === undefined
      ? `of ${name}`
      : `of ${name} before ${which.createdBefore}`;
  };
  const stop = startHeldSweep({
    store: {
      endpointsReplaying: () => Promise.resolve(replaying),
      endpointsHeld: () => Promise.resolve([a, b]),
      counts: (endpoint) => Promise.resolve({ ...none, held: held[endpoint === a ? 0 : 1] ?? 0 }),
      sweep: (which, { reason, limit }) => {
        did.push(`canceled up to ${limit} ${nameOf(which)}: ${reason}`);
        return Promise.resolve(0);
      },
      removeSwept: (before) => {
        did.push(`removed those swept before ${before}`);
        return Promise.resolve(0);
      },
    },
    directory: {
      latest: () =>
        endpointVersion({
          status: stoppedDaysAgo === null ? 'enabled' : 'paused',
          stoppedSince:
            stoppedDaysAgo === null ? null : toInstant(clock.now() - stoppedDaysAgo * dayMs),
        }),
    },
    tracker: {
      followTo: () => Promise.resolve(void did.push('followed the endpoints')),
      changeOf: (endpoint) =>
        Promise.resolve(void did.push(`changed what ${endpoint === a ? 'a' : 'b'} demands`)),
    },
    clock,
    keepMs: 30 * dayMs,
    maxHeld: 10,
    logRetry: (what, error) => {
      throw new Error(what, { cause: error });
    },
  });
  // it is done once it waits for its next turn
  while (clock.waiting === 0) await new Promise(setImmediate);
  stop();
  return did;
};

const first = ['followed the endpoints', 'removed those swept before 2025-12-31T23:30:00.000Z'];
const [changedA, changedB] = ['changed what a demands', 'changed what b demands'];

it('removes what an earlier one canceled, and leaves what may be held', async () => {
  for (const stopped of [null, 0, 30])
    expect(await swept([5, 5], stopped)).toEqual([...first, changedA, changedB]);
});

it('cancels what has been held for too long, only while the endpoint is not enabled', async () => {
  expect(await swept([1, 0], 31)).toEqual([
    ...first,
    changedA,
    'canceled up to 500 of a before 2025-12-02T00:00:00.000Z: held too long',
    changedB,
    'canceled up to 500 of b before 2025-12-02T00:00:00.000Z: held too long',
  ]);
});

it('cancels the oldest beyond the maximum of an endpoint, and of an account', async () => {
  expect(await swept([13, 4], 1)).toEqual([
    ...first,
    changedA,
    'canceled up to 3 of a: held too many, replay them',
    changedB,
    'canceled up to 4 of the account: held too many, replay them',
  ]);
});

it('also changes replay deliveries that wait for their turn, as their endpoint demands', async () => {
  expect(await swept([0, 0], null, [b])).toEqual([...first, changedB, changedA, changedB]);
});
