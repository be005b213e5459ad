import { randomUUID } from 'node:crypto';
import { toInstant, type EndpointId } from '@refledger/contracts';
import type { Collection } from 'mongodb';
import { startedAttempt } from '../delivery.js';
import type { Lease, SchedulerStore } from '../delivery-store.js';
import {
  endedUnknown,
  noLease,
  openAttempts,
  toDelivery,
  type DeliveryDocument,
} from './delivery-document.js';
import { inSteps, updatedAtOnce, updateInSteps } from './in-steps.js';

/** The methods of the store for the scheduler: finding due deliveries, and claiming them. */
export const claims = (
  deliveries: Collection<DeliveryDocument>,
): Pick<SchedulerStore, 'claim' | 'endpointsWithWork' | 'nextDueAt' | 'renew' | 'release'> => ({
  claim: async (endpoint, limit, lease) =>
    (await claim(deliveries, endpoint, limit, lease)).map(toDelivery),

  async endpointsWithWork(now) {
    const due = await deliveries.distinct('endpoint_id', {
      status: 'waiting',
      due_at: { $lte: now },
    });
    const lost = await deliveries.distinct('endpoint_id', {
      status: 'sending',
      lease_until: { $lte: now },
    });
    return [...new Set([...due, ...lost])];
  },

  async nextDueAt(after) {
    const due = await deliveries.findOne(
      { status: 'waiting', due_at: { $gt: after } },
      { sort: { due_at: 1 }, projection: { due_at: 1 } },
    );
    const lost = await deliveries.findOne(
      { status: 'sending', lease_until: { $gt: after } },
      { sort: { lease_until: 1 }, projection: { lease_until: 1 } },
    );
    return [due?.due_at ?? [], lost?.lease_until ?? []].flat().sort()[0];
  },

  async renew(ids, { holder, leaseUntil }) {
    for (const some of inSteps(ids)) {
      await deliveries.updateMany(
        { _id: { $in: some }, status: 'sending', holder },
        { $set: { lease_until: leaseUntil } },
      );
    }
  },

  async release(ids, { holder, now }) {
    for (const some of inSteps(ids)) {
      await deliveries.updateMany(
        { _id: { $in: some }, status: 'sending', holder },
        {
          $set: { status: 'waiting', due_at: now },
          $inc: { attempt: -1 },
          $pop: { attempts: 1 },
          $unset: noLease,
        },
      );
    }
  },
});

/**
 * The methods of the store that correct deliveries after a crash, and after the clock was put back.
 */
export const recovery = (
  deliveries: Collection<DeliveryDocument>,
): Pick<SchedulerStore, 'recover' | 'reschedule'> => ({
  async recover({ now, leftBy, except = [] }) {
    const lost = [
      { lease_until: { $lte: now } },
      ...(leftBy === undefined ? [] : [{ holder: leftBy }]),
    ];
    return updateInSteps(
      deliveries,
      { status: 'sending', $or: lost, ...(except.length > 0 && { _id: { $nin: [...except] } }) },
      {
        $set: { status: 'waiting', due_at: now, waits_since: now, ...endedUnknown(now) },
        $unset: noLease,
      },
      openAttempts,
    );
  },

  reschedule: (lease) => reschedule(deliveries, lease),
});

/**
 * Claims the earliest due deliveries: chooses some, claims those that are still due in one
 * conditional update, and reads them back by a claim id of its own. If other dispatchers claimed
 * some meanwhile, it chooses again, until it has enough or none is due.
 */
const claim = async (
  deliveries: Collection<DeliveryDocument>,
  endpoint: EndpointId,
  limit: number,
  { holder, leaseUntil, now }: Lease,
): Promise<readonly DeliveryDocument[]> => {
  const taken: DeliveryDocument[] = [];
  const isDue = { endpoint_id: endpoint, status: 'waiting', due_at: { $lte: now } } as const;
  while (taken.length < limit) {
    const chosen = await deliveries
      .find(isDue, {
        sort: { due_at: 1, created_at: 1, n: 1 },
        limit: Math.min(limit - taken.length, updatedAtOnce),
        projection: { _id: 1 },
      })
      .toArray();
    if (chosen.length === 0) break;
    const ids = chosen.map(({ _id }) => _id);
    const claim = randomUUID();
    const number = { $add: ['$attempt', 1] };
    await deliveries.updateMany({ ...isDue, _id: { $in: ids } }, [
      {
        $set: {
          status: 'sending',
          attempt: number,
          attempts: { $concatArrays: ['$attempts', [{ ...startedAttempt(0, now), number }]] },
          holder,
          lease_until: leaseUntil,
          claim,
        },
      },
      { $unset: 'due_at' },
    ]);
    const claimed = new Map(
      (await deliveries.find({ _id: { $in: ids }, claim }).toArray()).map((document) => [
        document._id,
        document,
      ]),
    );
    taken.push(...ids.flatMap((id) => claimed.get(id) ?? []));
  }
  return taken;
};

const reschedule = async (
  deliveries: Collection<DeliveryDocument>,
  { now, leaseUntil }: Pick<Lease, 'now' | 'leaseUntil'>,
): Promise<number> => {
  await updateInSteps(
    deliveries,
    { status: 'sending', lease_until: { $gt: leaseUntil } },
    { $set: { lease_until: leaseUntil } },
  );
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
