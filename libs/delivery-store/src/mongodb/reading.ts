import type { Collection } from 'mongodb';
import {
  keysOf,
  type DeliveryId,
  type DeliveryStatus,
  type EndpointId,
} from '@refledger/contracts';
import type { Delivery } from '../delivery.js';
import type { DeliveryReader, OperatorStore, UnfinishedCounts } from '../delivery-store.js';
import type { ReplayReader } from '../replay-store.js';
import type { StatisticsReader } from '../statistics-store.js';
import { toDelivery, type DeliveryDocument } from './delivery-document.js';
import { readPage } from '../read-page.js';
import { findRange } from './lists.js';
import { answeredKey, answeredKeys } from './redelivery-keys.js';

/** The methods of the store that read deliveries for operators. */
export const reading = (
  deliveries: Collection<DeliveryDocument>,
): Pick<OperatorStore, 'list' | 'endpoints' | 'counts' | 'answeredKeys'> &
  Omit<DeliveryReader, 'failingSince' | keyof ReplayReader | keyof StatisticsReader> => ({
  find: (query) => readPage(query, (range) => findRange(deliveries, range)),

  async get(id) {
    const found = await deliveries.findOne({ _id: id });
    return found === null ? undefined : toDelivery(found);
  },

  async list({ endpointId, limit, after }) {
    const last =
      after === undefined
        ? undefined
        : await deliveries.findOne({ _id: after }, { projection: { created_at: 1, n: 1 } });
    if (last === null) return [];
    const of = { endpoint_id: endpointId };
    const older = last && {
      $or: [
        { ...of, created_at: { $lt: last.created_at } },
        { ...of, created_at: last.created_at, n: { $lt: last.n } },
        { ...of, created_at: last.created_at, n: last.n, _id: { $lt: last._id } },
      ],
    };
    const found = deliveries.find(older ?? of, { sort: { created_at: -1, n: -1, _id: -1 }, limit });
    return (await found.toArray()).map(toDelivery);
  },

  answeredKey: (id) => answeredKey(deliveries, id),

  answeredKeys: (answered) => answeredKeys(deliveries, answered),

  recoveries: (all) => Promise.all(all.map((one) => recoveryOf(deliveries, one))),

  countUnfinished: (endpoint, limit) => countUnfinished(deliveries, endpoint, limit),

  endpoints: async () => (await deliveries.distinct('endpoint_id')).sort(),

  async counts(endpoint) {
    const counts = { waiting: 0, held: 0, sending: 0, succeeded: 0, failed: 0, canceled: 0 };
    const count = async (status: DeliveryStatus): Promise<void> => {
      counts[status] = await deliveries.countDocuments(
        { status, ...(endpoint !== undefined && { endpoint_id: endpoint }) },
        { hint: 'counted' },
      );
    };
    await Promise.all(keysOf(counts).map(count));
    return counts;
  },
});

/** The next delivery of the event to the endpoint that was made later and has succeeded. */
const recoveryOf = async (
  deliveries: Collection<DeliveryDocument>,
  { eventId, endpointId, createdAt }: Pick<Delivery, 'eventId' | 'endpointId' | 'createdAt'>,
): Promise<DeliveryId | undefined> => {
  const found = await deliveries.findOne(
    {
      event_id: eventId,
      endpoint_id: endpointId,
      created_at: { $gt: createdAt },
      status: 'succeeded',
      trigger: { $gt: 'event' },
    },
    { sort: { created_at: 1 }, hint: 'recovering', projection: { _id: 1 } },
  );
  return found?._id;
};

const countUnfinished = async (
  deliveries: Collection<DeliveryDocument>,
  endpoint: EndpointId,
  limit: number,
): Promise<UnfinishedCounts> => {
  const count = (...statuses: DeliveryStatus[]): Promise<number> =>
    deliveries.countDocuments(
      { status: { $in: statuses }, endpoint_id: endpoint },
      { hint: 'counted', limit },
    );
  const [unfinished, held] = await Promise.all([
    count('waiting', 'held', 'sending'),
    count('held'),
  ]);
  return { unfinished, held };
};
