import { toInstant } from '@refledger/contracts';
import { idsOf } from '@refledger/mongodb';
import type { Collection, Filter } from 'mongodb';
import { lateTest, lostTest, testIsLateAfterMs } from '../delivery.js';
import type { Lease } from '../lease.js';
import type { SchedulerStore } from '../scheduler-store.js';
import { endedUnknown, noLease, openAttempts, type DeliveryDocument } from './delivery-document.js';
import { inSteps, updatedAtOnce, updateInSteps } from './in-steps.js';

/** The lease of a holder. */
export interface LeaseDocument {
  /** The holder. */
  readonly _id: string;
  readonly until: string;
}

/**
 * The methods of the store for the leases of holders, and those that correct deliveries after a
 * crash, and after the clock was put back.
 */
export const recovery = (
  deliveries: Collection<DeliveryDocument>,
  leases: Collection<LeaseDocument>,
): Pick<SchedulerStore, 'renew' | 'recover' | 'recoverLeftBy' | 'reschedule'> => ({
  async renew({ holder, leaseUntil }) {
    await leases.updateOne({ _id: holder }, { $max: { until: leaseUntil } }, { upsert: true });
  },

  async recover({ holder, sending, now }) {
    const all = await leases.find().toArray();
    const current = all.flatMap(({ _id, until }) => (until > now ? [_id] : []));
    const ended = { status: 'sending', lease_until: { $lte: now } } as const;
    const lost = { ...ended, holder: { $nin: [holder, ...current] } };
    // those that it is sending may be too many for a filter
    const sent = new Set(sending);
    const own = (await idsOf(deliveries, { ...ended, holder })).filter((id) => !sent.has(id));
    let recovered = await recoverAll(deliveries, lost, now);
    for (const some of inSteps(own)) {
      const these = { ...ended, holder, _id: { $in: [...some] } };
      recovered += await recoverAll(deliveries, these, now);
    }
    if (current.length < all.length) await leases.deleteMany({ until: { $lte: now } });
    await cancelLateTests(deliveries, now);
    return recovered;
  },

  recoverLeftBy: (holder, now) => recoverAll(deliveries, { status: 'sending', holder }, now),

  async reschedule(lease) {
    const tooLong = { $gt: lease.leaseUntil };
    await leases.updateMany({ until: tooLong }, { $set: { until: lease.leaseUntil } });
    await updateInSteps(
      deliveries,
      { status: 'sending', lease_until: tooLong },
      { $set: { lease_until: lease.leaseUntil } },
    );
    return reschedule(deliveries, lease);
  },
});

/** Makes lost deliveries due, and fails lost tests. Resolves to how many. */
const recoverAll = async (
  deliveries: Collection<DeliveryDocument>,
  lost: Filter<DeliveryDocument>,
  now: string,
): Promise<number> => {
  const tests = { ...lost, trigger: 'test' } as const;
  const failed = {
    status: 'failed',
    finished_at: now,
    reason: lostTest,
    ...endedUnknown(now),
  } as const;
  const others = { ...lost, trigger: { $ne: 'test' } } as const;
  const due = { status: 'waiting', due_at: now, waits_since: now, ...endedUnknown(now) } as const;
  return (
    (await updateInSteps(deliveries, tests, { $set: failed, $unset: noLease }, openAttempts)) +
    (await updateInSteps(deliveries, others, { $set: due, $unset: noLease }, openAttempts))
  );
};

const cancelLateTests = async (
  deliveries: Collection<DeliveryDocument>,
  now: string,
): Promise<void> => {
  const before = toInstant(Date.parse(now) - testIsLateAfterMs);
  await deliveries.updateMany(
    { status: 'waiting', trigger: 'test', created_at: { $lt: before } },
    { $set: { status: 'canceled', finished_at: now, reason: lateTest } },
  );
};

/** Restarts the waits that began after `now`. Resolves to how many. */
const reschedule = async (
  deliveries: Collection<DeliveryDocument>,
  { now }: Pick<Lease, 'now'>,
): Promise<number> => {
  for (let count = 0; ;) {
    // no delivery is found twice, since `waits_since` of a rescheduled one is no longer after `now`
    const some = await deliveries
      .find(
        { status: 'waiting', due_at: { $gt: now }, waits_since: { $gt: now } },
        { limit: updatedAtOnce, projection: { due_at: 1, waits_since: 1 } },
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
