import type { DeliveryId, EndpointId, Position } from '@refledger/contracts';
import type { Collection } from 'mongodb';
import { startedAttempt } from '../delivery.js';
import type { RemovedDocument } from './auditing.js';
import { claims } from './claims.js';
import type { DeliveryDocument } from './delivery-document.js';
import { canceling, outcomes } from './outcomes.js';
import type { RateDocument } from './rates.js';
import { removal } from './removal.js';
import { recovery, type LeaseDocument } from './recovery.js';

const ids = Array.from({ length: 250 }, (_, n): DeliveryId => `dlv_${n}`);
const endpoint: EndpointId = 'whk_1';
const now = '2026-01-01T00:00:00.000Z';
const leaseUntil = '2026-01-01T00:00:30.000Z';
const lease = { holder: 'one', now, leaseUntil };

type Status = 'waiting' | 'held' | 'sending';
interface Wanted {
  readonly status?: Status | { readonly $in: readonly Status[] };
  readonly _id?: { readonly $in: readonly DeliveryId[] };
}
interface WantedOne {
  readonly status: Status;
  readonly _id: DeliveryId;
}

const statusOf = (status: Wanted['status'] = 'sending'): Status =>
  typeof status === 'string' ? status : (status.$in[0] ?? 'sending');

/**
 * Test double: records how many deliveries each request updates. A delivery counts as waiting, held
 * and being sent, and matches any filter until a request for its status has updated it.
 */
const recording = (sizes: number[]) => {
  const left = { waiting: ids, held: ids, sending: ids };
  let updated: readonly DeliveryId[] = [];
  const update = (which: Wanted['status'], wanted: readonly DeliveryId[]) => {
    const status = statusOf(which);
    sizes.push(wanted.length);
    updated = wanted.filter((id) => left[status].includes(id));
    left[status] = left[status].filter((id) => !wanted.includes(id));
    return Promise.resolve({ modifiedCount: updated.length });
  };
  return {
    find: ({ status }: Wanted, { limit }: { limit?: number } = {}) => ({
      // without a status, those that were just claimed are read
      toArray: () =>
        Promise.resolve(
          (status === undefined ? updated : left[statusOf(status)].slice(0, limit)).map((_id) => ({
            _id,
            attempts: [],
            position: 1n,
            decided_at: 1n,
            waits_since: now,
          })),
        ),
    }),
    updateMany: ({ status, _id }: Wanted) => update(status, _id?.$in ?? []),
    bulkWrite: (operations: readonly { readonly updateOne: { readonly filter: WantedOne } }[]) => {
      const filters = operations.map(({ updateOne }) => updateOne.filter);
      return update(
        filters[0]?.status,
        filters.map(({ _id }) => _id),
      );
    },
  } as unknown as Collection<DeliveryDocument>;
};

/** Test double: holds no lease, and stores none. */
const noLeases = {
  find: () => ({ toArray: () => Promise.resolve([]) }),
  updateMany: () => Promise.resolve(),
} as unknown as Collection<LeaseDocument>;

/** Test double: stores no rates. */
const noRates = {} as unknown as Collection<RateDocument>;

/** Test double: nothing expires. */
const notExpiring = { raiseEndedBefore: () => Promise.resolve() };

/** Test double: notes nothing that was removed. */
const noneRemoved = {} as unknown as Collection<RemovedDocument>;

type Call = (deliveries: Collection<DeliveryDocument>) => Promise<unknown>;

it.each<[string, Call]>([
  ['claiming', (deliveries) => claims(deliveries).claim(endpoint, 250, lease)],
  ['claiming held ones', (deliveries) => claims(deliveries).claim(endpoint, 250, lease, 'held')],
  ['holding', (deliveries) => canceling(deliveries).hold(endpoint, '9' as Position)],
  [
    'sweeping',
    (deliveries) =>
      removal(deliveries, noRates, noneRemoved, notExpiring).sweep(
        { endpointId: endpoint },
        { reason: 'old', now, limit: 250 },
      ),
  ],
  ['releasing', (deliveries) => claims(deliveries).release(ids, lease, 'waiting')],
  [
    'recovering those of others',
    (deliveries) => recovery(deliveries, noLeases).recover({ holder: 'two', sending: ids, now }),
  ],
  [
    'recovering its own',
    (deliveries) => recovery(deliveries, noLeases).recover({ holder: 'one', sending: [], now }),
  ],
  [
    'recovering those of one',
    (deliveries) => recovery(deliveries, noLeases).recoverLeftBy('one', now),
  ],
  ['rescheduling', (deliveries) => recovery(deliveries, noLeases).reschedule({ now, leaseUntil })],
  [
    'canceling',
    (deliveries) =>
      canceling(deliveries).cancel(endpoint, {
        decidedBelow: '9' as Position,
        reason: 'unsubscribed',
        now,
      }),
  ],
  [
    'canceling unfinished ones',
    (deliveries) => canceling(deliveries).cancelUnfinished(ids, 'lost', now),
  ],
  [
    'recording outcomes',
    (deliveries) =>
      outcomes(deliveries).recordOutcomes(
        ids.map((deliveryId) => ({
          deliveryId,
          number: 1,
          endedAt: now,
          attempt: { ...startedAttempt(1, now), finishedAt: now, outcome: 'succeeded' },
          failures: 0,
          next: { status: 'succeeded' },
        })),
        'one',
      ),
  ],
])('%s updates a hundred deliveries per request', async (_what, call) => {
  const sizes: number[] = [];
  await call(recording(sizes));
  expect(Math.max(...sizes)).toBe(100);
  expect(sizes.reduce((sum, size) => sum + size, 0)).toBeGreaterThanOrEqual(250);
});
