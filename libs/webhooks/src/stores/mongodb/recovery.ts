import type { Collection } from 'mongodb';
import { toInstant } from '@refledger/contracts';
import type { DeliveryStore, Lease } from '../delivery-store.js';
import { asStoreErrors } from './as-store-errors.js';
import { noLease, type DeliveryDocument } from './delivery-document.js';

/**
 * The methods of the store that correct deliveries after a crash, and after the clock was put back.
 */
export const recovery = (
  deliveries: Collection<DeliveryDocument>,
): Pick<DeliveryStore, 'recover' | 'reschedule'> => ({
  recover: ({ now, leftBy }) =>
    asStoreErrors(async () => {
      const lost = [
        { lease_until: { $lte: now } },
        ...(leftBy === undefined ? [] : [{ holder: leftBy }]),
      ];
      const recovered = {
        status: 'waiting',
        due_at: now,
        waits_since: now,
        'attempts.$[open].finishedAt': now,
        'attempts.$[open].outcome': 'unknown',
      } as const;
      return (
        await deliveries.updateMany(
          { status: 'sending', $or: lost },
          { $set: recovered, $unset: noLease },
          { arrayFilters: [{ 'open.outcome': null }] },
        )
      ).modifiedCount;
    }),

  reschedule: (lease) => asStoreErrors(() => reschedule(deliveries, lease)),
});

const reschedule = async (
  deliveries: Collection<DeliveryDocument>,
  { now, leaseUntil }: Pick<Lease, 'now' | 'leaseUntil'>,
): Promise<number> => {
  await deliveries.updateMany(
    { status: 'sending', lease_until: { $gt: leaseUntil } },
    { $set: { lease_until: leaseUntil } },
  );
  for (let count = 0; ;) {
    // no delivery is found twice, since `waits_since` of a rescheduled one is no longer after `now`
    const some = await deliveries
      .find(
        { status: 'waiting', due_at: { $gt: now }, waits_since: { $gt: now } },
        { limit: step, projection: { due_at: 1, waits_since: 1 } },
      )
      .toArray();
    if (some.length === 0) return count;
    const { modifiedCount } = await deliveries.bulkWrite(
      some.map(({ _id, due_at = now, waits_since }) => ({
        updateOne: {
          filter: { _id, status: 'waiting', due_at },
          update: {
            $set: {
              due_at: toInstant(Date.parse(now) + Date.parse(due_at) - Date.parse(waits_since)),
              waits_since: now,
            },
          },
        },
      })),
      { ordered: false },
    );
    count += modifiedCount;
  }
};

/** Documents per request. */
const step = 1_000;
