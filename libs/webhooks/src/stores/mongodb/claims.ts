import { randomUUID } from 'node:crypto';
import type { EndpointId } from '@refledger/contracts';
import type { Collection } from 'mongodb';
import { keptAttempts, startedAttempt } from '../delivery.js';
import type { Lease, SchedulerStore } from '../delivery-store.js';
import { noLease, toDelivery, type DeliveryDocument } from './delivery-document.js';
import { inSteps, updatedAtOnce } from './in-steps.js';

/** The methods of the store for the scheduler: finding due deliveries, and claiming them. */
export const claims = (
  deliveries: Collection<DeliveryDocument>,
): Pick<
  SchedulerStore,
  'claim' | 'endpointsDue' | 'endpointsUnfinished' | 'nextDueAt' | 'release'
> => ({
  claim: async (endpoint, limit, lease) =>
    (await claim(deliveries, endpoint, limit, lease)).map(toDelivery),

  endpointsDue: (now) =>
    deliveries.distinct('endpoint_id', { status: 'waiting', due_at: { $lte: now } }),

  async endpointsUnfinished() {
    const of = (status: 'waiting' | 'sending') => deliveries.distinct('endpoint_id', { status });
    return [...new Set([...(await of('waiting')), ...(await of('sending'))])];
  },

  async nextDueAt(after) {
    const due = await deliveries.findOne(
      { status: 'waiting', due_at: { $gt: after } },
      { sort: { due_at: 1 }, projection: { due_at: 1 } },
    );
    return due?.due_at;
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
          attempts: { $concatArrays: [keptBefore, [{ ...startedAttempt(0, now), number }]] },
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

/** As `withStarted` keeps them. */
const keptBefore = {
  $map: {
    input: { $slice: ['$attempts', 1 - keptAttempts] },
    as: 'one',
    in: {
      $cond: [
        { $eq: ['$$one.number', '$attempt'] },
        '$$one',
        { $mergeObjects: ['$$one', { response: null }] },
      ],
    },
  },
};
