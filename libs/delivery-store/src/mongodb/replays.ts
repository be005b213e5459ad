import type { Collection } from 'mongodb';
import type { EndpointId, PublicEventId } from '@refledger/contracts';
import { duplicateKey, idsOf, ignoring, insertNew } from '@refledger/mongodb';
import type { DeliveryOfEvent, ReplayReader, ReplayStep, ReplayStore } from '../replay-store.js';
import { latestLeaseEnd, type Lease } from '../lease.js';
import { beginReplay } from './begin-replay.js';
import { toDocument, type DeliveryDocument } from './delivery-document.js';
import { toReplay, type ReplayDocument } from './replay-document.js';

/** The right to work on replays. */
export interface ReplaysLeaseDocument {
  readonly _id: 'replays';
  readonly holder: string;
  readonly until: string;
}

interface ReplayCollections {
  readonly deliveries: Collection<DeliveryDocument>;
  readonly replays: Collection<ReplayDocument>;
  readonly leases: Collection<ReplaysLeaseDocument>;
}

/** Matches deliveries of replays that wait for their turn. */
const waitingTurn = {
  status: 'waiting',
  trigger: 'replay',
  due_at: { $exists: false },
} as const;

export const replays = (collections: ReplayCollections): ReplayStore => {
  const { deliveries, replays, leases } = collections;
  return {
    ...replayReader(replays),

    beginReplay: (requested) => beginReplay(replays, requested),

    async stopReplay(_id, now) {
      await replays.updateOne(
        { _id, status: 'running' },
        { $set: { status: 'stopped', finished_at: now } },
      );
    },

    leaseReplays: (lease) => leaseReplays(leases, lease),

    releaseReplays: async (holder) => void (await leases.deleteOne({ _id: 'replays', holder })),

    hasUnsettledReplays: async () =>
      (await replays.findOne({ settled: false }, { projection: { _id: 1 } })) !== null,

    async runningReplays() {
      const found = replays.find({ status: 'running' }, { sort: { created_at: 1 } });
      return (await found.toArray()).map(toReplay);
    },

    planReplay: (step, now) => planReplay(collections, step, now),

    async countReplays(now, limit) {
      const some = replays.find({ settled: false }, { sort: { counted_at: 1 }, limit });
      for (const replay of await some.toArray()) await countReplay(collections, replay, now);
    },

    countWaiting: (id, limit) =>
      deliveries.countDocuments(
        { replay_id: id, status: 'waiting', trigger: 'replay' },
        { hint: 'of_replay', limit },
      ),

    countReplaying: (endpoint, limit) =>
      deliveries.countDocuments(
        { endpoint_id: endpoint, ...waitingTurn },
        { hint: 'replaying', limit },
      ),

    endpointsReplaying: () => deliveries.distinct('endpoint_id', waitingTurn),

    deliveriesOf: (endpoint, events) => deliveriesOf(deliveries, endpoint, events),

    expireReplays: (before, limit) => expireReplays(collections, before, limit),
  };
};

/** The methods of the store that read replays. */
export const replayReader = (replays: Collection<ReplayDocument>): ReplayReader => ({
  async replay(id) {
    const found = await replays.findOne({ _id: id });
    return found === null ? undefined : toReplay(found);
  },

  async replays({ endpointId, descending, createdAfter = '', createdBefore, after, limit }) {
    const of = { endpoint_id: endpointId };
    const within = {
      $gt: createdAfter,
      ...(createdBefore !== undefined && { $lt: createdBefore }),
    };
    const beyond = descending ? '$lt' : '$gt';
    const direction = descending ? -1 : 1;
    const filter = after
      ? {
          $or: [
            { ...of, created_at: { ...within, [beyond]: after[0] } },
            { ...of, created_at: after[0], _id: { [beyond]: after[1] } },
          ],
        }
      : { ...of, created_at: within };
    const sort = { created_at: direction, _id: direction } as const;
    return (await replays.find(filter, { sort, limit }).toArray()).map(toReplay);
  },
});

const deliveriesOf = async (
  deliveries: Collection<DeliveryDocument>,
  endpoint: EndpointId,
  events: readonly PublicEventId[],
): Promise<readonly DeliveryOfEvent[]> => {
  const found = deliveries.aggregate<{ readonly _id: DeliveryOfEvent }>(
    [
      {
        $match: {
          event_id: { $in: events },
          endpoint_id: endpoint,
          trigger: { $ne: 'test' },
        },
      },
      {
        $group: {
          _id: {
            eventId: '$event_id',
            status: '$status',
            replayId: { $ifNull: ['$replay_id', null] },
          },
        },
      },
    ],
    { hint: 'list_by_event' },
  );
  return (await found.toArray()).map(({ _id }) => _id);
};

/**
 * Whether a replay ended so long ago that every dispatcher that was still making its deliveries has
 * finished or was killed.
 */
const endedLongAgo = (finishedAt: string | undefined, now: string): boolean =>
  finishedAt !== undefined && Date.parse(finishedAt) <= Date.parse(now) - settlesAfterMs;

const settlesAfterMs = 60_000;

/** Counts never fall, since deliveries that have ended may be removed before the others end. */
const countReplay = async (
  { deliveries, replays }: ReplayCollections,
  { _id, status, finished_at }: ReplayDocument,
  now: string,
): Promise<void> => {
  const count = (...statuses: DeliveryDocument['status'][]): Promise<number> =>
    deliveries.countDocuments(
      { replay_id: _id, status: { $in: statuses }, trigger: 'replay' },
      { hint: 'of_replay' },
    );
  // open ones first: those that end meanwhile are then counted as ended, too
  const open = await count('waiting', 'held', 'sending');
  const [succeeded, failed, canceled] = await Promise.all([
    count('succeeded'),
    count('failed'),
    count('canceled'),
  ]);
  // a replay that was stopped between two steps of `planReplay` has planned more than it says; of
  // these, each is counted once it has ended
  const planned = status === 'running' ? 0 : succeeded + failed + canceled;
  await replays.updateOne(
    { _id },
    {
      $max: { planned, succeeded, failed },
      $set: { settled: open === 0 && endedLongAgo(finished_at, now), counted_at: now },
    },
  );
};

/**
 * Inserts the deliveries that are new, and then moves on. After a crash in between, the step is
 * planned again, which inserts nothing.
 */
const planReplay = async (
  { deliveries, replays }: ReplayCollections,
  { replay: { id, at }, deliveries: planned, reached, isLast }: ReplayStep,
  now: string,
): Promise<boolean> => {
  const here = { _id: id, status: 'running', at: BigInt(at) } as const;
  if ((await replays.findOne(here, { projection: { _id: 1 } })) === null) return false;
  const documents = planned.map((delivery, n) => toDocument(delivery, n, { now }));
  await insertNew(deliveries, documents);
  const ended = isLast ? ({ status: 'finished', finished_at: now } as const) : {};
  const { modifiedCount } = await replays.updateOne(here, {
    $set: { at: BigInt(reached), ...ended },
    $inc: { planned: planned.length },
  });
  if (modifiedCount > 0) return true;
  // if it was stopped here meanwhile, it makes no more deliveries
  const stopped = { _id: id, status: 'stopped', at: BigInt(at) } as const;
  if ((await replays.findOne(stopped, { projection: { _id: 1 } })) === null) return false;
  const ids = documents.map(({ _id }) => _id);
  await deliveries.deleteMany({ _id: { $in: ids }, ...waitingTurn });
  return false;
};

const leaseReplays = async (
  leases: Collection<ReplaysLeaseDocument>,
  { holder, leaseUntil, now }: Lease,
): Promise<boolean> => {
  const tooLate = latestLeaseEnd({ holder, leaseUntil, now });
  const lease = await leases
    .findOneAndUpdate(
      { _id: 'replays', $or: [{ holder }, { until: { $lte: now } }, { until: { $gt: tooLate } }] },
      { $set: { holder, until: leaseUntil } },
      { upsert: true, returnDocument: 'after' },
    )
    // another dispatcher has it
    .catch(ignoring(duplicateKey));
  return lease?.holder === holder;
};

const expireReplays = async (
  { deliveries, replays }: ReplayCollections,
  before: string,
  limit: number,
): Promise<number> => {
  const old = { settled: true, finished_at: { $lt: before } };
  const all = await idsOf(replays, old, { limit });
  const theirs = { replay_id: { $in: all }, trigger: 'replay' } as const;
  const kept = await deliveries.distinct('replay_id', theirs);
  const ids = all.filter((id) => !kept.includes(id));
  return (await replays.deleteMany({ ...old, _id: { $in: ids } })).deletedCount;
};
