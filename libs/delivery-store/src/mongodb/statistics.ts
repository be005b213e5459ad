import type { EndpointId, StatsPeriod } from '@refledger/contracts';
import { collidedIn, idsOf } from '@refledger/mongodb';
import type { AnyBulkWriteOperation, Collection, IndexDescription } from 'mongodb';
import type { EndpointStatistics } from '../statistics/endpoint-statistics.js';
import {
  oldestOf,
  type StatisticsReader,
  type StatisticsPoint,
  type StatisticsStore,
  type WaitingDelivery,
} from '../statistics-store.js';
import type { DeliveryDocument } from './delivery-document.js';

/** The statistics of an endpoint in one point of a period. What was never counted is absent. */
export interface StatisticsDocument extends Partial<EndpointStatistics> {
  /** Of endpoint, period and start, so that the points of an endpoint are a range of ids. */
  readonly _id: string;
  readonly endpoint_id: EndpointId;
  readonly period: StatsPeriod;
  readonly starts_at: string;
}

/** The methods of the store that write statistics. */
export const statistics = (collection: Collection<StatisticsDocument>): StatisticsStore => ({
  async addStatistics(points) {
    for (let rest = points.map(additionOf); rest.length > 0;) rest = await addAll(collection, rest);
  },

  async removeStatistics(period, before, limit) {
    const old = { period, starts_at: { $lt: before } };
    const ids = await idsOf(collection, old, { limit });
    return (await collection.deleteMany({ _id: { $in: ids } })).deletedCount;
  },
});

/** The methods of the store that read statistics. */
export const statisticsReader = (
  collection: Collection<StatisticsDocument>,
  deliveries: Collection<DeliveryDocument>,
): StatisticsReader => ({
  async statistics({ endpointId, period, from, to }) {
    const [first, last] = [from, to].map((startsAt) => idOf({ endpointId, period, startsAt }));
    const found = collection.find({ _id: { $gte: first, $lte: last } }, { sort: { _id: 1 } });
    return (await found.toArray()).map(toPoint);
  },

  async oldestWaiting(endpoint) {
    const statuses = ['waiting', 'held'] as const;
    const oldest = await Promise.all(
      statuses.map((status) => oldestWith(deliveries, endpoint, status)),
    );
    return oldestOf(oldest.flat());
  },
});

/** The index by which old statistics are found. */
export const statisticsIndexes: readonly IndexDescription[] = [
  { name: 'by_age', key: { period: 1, starts_at: 1 } },
];

/**
 * Makes the additions. Resolves to those that must be repeated, because another dispatcher created
 * their document meanwhile.
 */
const addAll = async (
  collection: Collection<StatisticsDocument>,
  additions: readonly AnyBulkWriteOperation<StatisticsDocument>[],
): Promise<AnyBulkWriteOperation<StatisticsDocument>[]> => {
  try {
    await collection.bulkWrite(additions, { ordered: false });
    return [];
  } catch (error) {
    const collided = collidedIn(error);
    return additions.filter((_, index) => collided.has(index));
  }
};

const additionOf = (point: StatisticsPoint): AnyBulkWriteOperation<StatisticsDocument> => {
  const { endpointId: endpoint_id, period, startsAt: starts_at, statistics: added } = point;
  const counts = Object.entries(added).flatMap(([name, numbers]: [string, Numbers]) =>
    Object.entries(numbers).map(([key, count]) => [`${name}.${key}`, count] as const),
  );
  return {
    updateOne: {
      filter: { _id: idOf(point) },
      update: {
        $setOnInsert: { endpoint_id, period, starts_at },
        $inc: Object.fromEntries(counts),
      },
      upsert: true,
    },
  };
};

type Numbers = Readonly<Record<string, number>>;

const idOf = ({
  endpointId,
  period,
  startsAt,
}: Pick<StatisticsPoint, 'endpointId' | 'period' | 'startsAt'>): string =>
  `${endpointId} ${period} ${startsAt}`;

const toPoint = ({
  endpoint_id: endpointId,
  period,
  starts_at: startsAt,
  deliveries = {},
  attempts = {},
  durations = {},
  timesToSuccess = {},
}: StatisticsDocument): StatisticsPoint => ({
  endpointId,
  period,
  startsAt,
  statistics: { deliveries, attempts, durations, timesToSuccess },
});

const oldestWith = async (
  deliveries: Collection<DeliveryDocument>,
  endpoint: EndpointId,
  status: 'waiting' | 'held',
): Promise<readonly WaitingDelivery[]> => {
  const found = await deliveries
    .find(
      { endpoint_id: endpoint, status, trigger: { $ne: 'test' } },
      {
        sort: { created_at: 1 },
        hint: 'list_of_endpoint_by_status',
        limit: 1,
        projection: { created_at: 1 },
      },
    )
    .toArray();
  return found.map(({ _id: id, created_at: createdAt }) => ({ id, status, createdAt }));
};
