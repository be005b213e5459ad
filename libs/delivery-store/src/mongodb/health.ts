import type { EndpointId } from '@refledger/contracts';
import { idsOf } from '@refledger/mongodb';
import type { Collection } from 'mongodb';
import type { DeliveryReader } from '../delivery-store.js';
import type { FailingSeries, HealthStore } from '../health-store.js';
import type { DeliveryDocument } from './delivery-document.js';

/** A series of failed attempts to an endpoint. */
export interface HealthDocument extends FailingSeries {
  readonly _id: EndpointId;
}

/** The methods of the store that keep the health of endpoints. */
export const health = (
  series: Collection<HealthDocument>,
  deliveries: Collection<DeliveryDocument>,
): HealthStore => ({
  async series(endpoint) {
    const found = await series.findOne({ _id: endpoint });
    if (found === null) return undefined;
    const { from, since, failures } = found;
    return { from, since, failures };
  },

  async keepSeries(endpoint, { from, since, failures }) {
    const kept = { $set: { from, since, failures } };
    await series.updateOne({ _id: endpoint }, kept, { upsert: true });
  },

  async endSeries(endpoint) {
    await series.deleteOne({ _id: endpoint });
  },

  endpointsInSeries: () => idsOf(series, {}),

  async succeededSince(endpoint, after, now) {
    const found = await deliveries.findOne(
      {
        endpoint_id: endpoint,
        finished_at: { $gt: after, $lte: now },
        status: 'succeeded',
        trigger: { $ne: 'test' },
      },
      { hint: 'list_of_endpoint_finished', projection: { _id: 1 } },
    );
    return found !== null;
  },
});

/** The method of the store that reads since when attempts to endpoints have been failing. */
export const failing = (
  series: Collection<HealthDocument>,
): Pick<DeliveryReader, 'failingSince'> => ({
  async failingSince(endpoints) {
    const found = await series.find({ _id: { $in: [...endpoints] } }).toArray();
    return new Map(found.map(({ _id, since }) => [_id, since]));
  },
});
