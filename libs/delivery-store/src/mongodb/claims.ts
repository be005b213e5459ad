import { randomUUID } from 'node:crypto';
import type { DeliveryId, EndpointId } from '@refledger/contracts';
import { idsOf } from '@refledger/mongodb';
import type { Collection, Filter, FindOptions } from 'mongodb';
import { keptAttempts, startedAttempt } from '../delivery.js';
import type { Lease } from '../lease.js';
import {
  claimableStatus,
  type ClaimableFrom,
  type MadeBody,
  type SchedulerStore,
} from '../scheduler-store.js';
import { noLease, toDelivery, type DeliveryDocument } from './delivery-document.js';
import { inSteps, updatedAtOnce } from './in-steps.js';

/** The methods of the store for the scheduler: finding due deliveries, and claiming them. */
export const claims = (
  deliveries: Collection<DeliveryDocument>,
): Pick<
  SchedulerStore,
  | 'claim'
  | 'claimTests'
  | 'keepBodies'
  | 'endpointsHeld'
  | 'endpointsDue'
  | 'endpointsUnfinished'
  | 'nextDueAt'
  | 'release'
> => ({
  claim: async (endpoint, limit, lease, from = 'waiting') =>
    (await claim(deliveries, { endpoint, limit, from }, lease)).map(toDelivery),

  claimTests: async (endpoint, lease) =>
    (await claim(deliveries, { endpoint, limit: updatedAtOnce, from: 'test' }, lease)).map(
      toDelivery,
    ),

  keepBodies: (bodies, holder) => keepBodies(deliveries, bodies, holder),

  endpointsHeld: () => deliveries.distinct('endpoint_id', { status: 'held' }),

  endpointsDue: (now) =>
    deliveries.distinct('endpoint_id', { status: 'waiting', due_at: { $lte: now } }),

  async endpointsUnfinished() {
    const statuses = ['waiting', 'held', 'sending'] as const;
    const found = statuses.map((status) => deliveries.distinct('endpoint_id', { status }));
    return [...new Set((await Promise.all(found)).flat())];
  },

  async nextDueAt(after) {
    const due = await deliveries.findOne(
      { status: 'waiting', due_at: { $gt: after } },
      { sort: { due_at: 1 }, projection: { due_at: 1 } },
    );
    return due?.due_at;
  },

  async release(ids, { holder, now }, from) {
    for (const some of inSteps(ids)) {
      await deliveries.updateMany(
        { _id: { $in: some }, status: 'sending', holder },
        {
          $set: { status: claimableStatus(from), ...(from === 'waiting' && { due_at: now }) },
          $inc: { attempt: -1 },
          $pop: { attempts: 1 },
          $unset: noLease,
        },
      );
    }
  },
});

interface Claim {
  readonly endpoint: EndpointId;
  readonly limit: number;
  readonly from: ClaimableFrom | 'test';
}

/**
 * Claims the first deliveries: chooses some, claims those that still have the status in one
 * conditional update, and reads them back by a claim id of its own. If other dispatchers claimed
 * some meanwhile, it chooses again, until it has enough or none are left.
 */
const claim = async (
  deliveries: Collection<DeliveryDocument>,
  { endpoint, limit, from }: Claim,
  lease: Lease,
): Promise<readonly DeliveryDocument[]> => {
  const taken: DeliveryDocument[] = [];
  const { filter, order } = claimable[from](lease);
  const isFirst: Filter<DeliveryDocument> = { endpoint_id: endpoint, ...filter };
  while (taken.length < limit) {
    const some = Math.min(limit - taken.length, updatedAtOnce);
    const ids = await idsOf(deliveries, isFirst, { ...order, limit: some });
    if (ids.length === 0) break;
    const claim = randomUUID();
    await deliveries.updateMany({ ...isFirst, _id: { $in: ids } }, [
      { $set: started(lease, claim) },
      { $unset: 'due_at' },
    ]);
    const found = await deliveries.find({ _id: { $in: ids }, claim }).toArray();
    const claimed = new Map(found.map((document) => [document._id, document]));
    taken.push(...ids.flatMap((id) => claimed.get(id) ?? []));
  }
  return taken;
};

/** Which deliveries are claimed, and in which order. */
const claimable = {
  waiting: ({ now }: Lease) => ({
    filter: { status: 'waiting', due_at: { $lte: now } },
    order: { sort: { due_at: 1, created_at: 1, n: 1 } },
  }),
  held: () => ({
    filter: { status: 'held' },
    order: { sort: { position: 1, _id: 1 }, hint: 'held_by_endpoint' },
  }),
  replay: () => ({
    filter: { status: 'waiting', trigger: 'replay', due_at: { $exists: false } },
    order: { sort: { position: 1, _id: 1 }, hint: 'replaying' },
  }),
  test: () => ({ filter: { status: 'waiting', trigger: 'test' }, order: {} }),
} satisfies Readonly<Record<Claim['from'], (lease: Lease) => Claimable>>;

interface Claimable {
  readonly filter: Filter<DeliveryDocument>;
  readonly order: FindOptions;
}

const keepBodies = async (
  deliveries: Collection<DeliveryDocument>,
  bodies: readonly MadeBody[],
  holder: string,
): Promise<readonly DeliveryId[]> => {
  const kept: DeliveryId[] = [];
  for (const some of inSteps(bodies))
    await Promise.all(
      some.map(async ({ id, body }) => {
        const bodiless = { _id: id, status: 'sending', holder, body: { $exists: false } } as const;
        const { modifiedCount } = await deliveries.updateOne(bodiless, { $set: { body } });
        if (modifiedCount > 0) kept.push(id);
      }),
    );
  return kept;
};

/** The fields of a delivery whose next attempt begins. */
const started = ({ holder, leaseUntil, now }: Lease, claim: string) => {
  const number = { $add: ['$attempt', 1] };
  return {
    status: 'sending',
    attempt: number,
    attempts: { $concatArrays: [keptBefore, [{ ...startedAttempt(0, now), number }]] },
    holder,
    lease_until: leaseUntil,
    claim,
  };
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
        { $mergeObjects: ['$$one', { sealedResponse: null }] },
      ],
    },
  },
};
