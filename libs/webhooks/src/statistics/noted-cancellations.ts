import type { DeliveryId } from '@refledger/contracts';
import type { DeliveryStore } from '@refledger/delivery-store';
import type { StatisticsRecorder } from './statistics-recorder.js';

/**
 * The store, with its cancellations reported to the statistics: deliveries planned as canceled, or
 * canceled while waiting or held. A sweep of a whole account does not say whose deliveries it
 * canceled, so those are not counted.
 */
export const notedCancellations = (
  store: DeliveryStore,
  statistics: Pick<StatisticsRecorder, 'canceled'>,
): DeliveryStore => ({
  ...store,

  async plan(plan, lease) {
    const ids = await store.plan(plan, lease);
    const inserted = new Set<DeliveryId>(ids);
    for (const { id, endpointId, status } of plan.deliveries)
      if (status === 'canceled' && inserted.has(id)) statistics.canceled(endpointId, 1);
    return ids;
  },

  async cancel(endpoint, cancellation) {
    const count = await store.cancel(endpoint, cancellation);
    statistics.canceled(endpoint, count);
    return count;
  },

  async sweep(deliveries, how) {
    const count = await store.sweep(deliveries, how);
    if ('endpointId' in deliveries) statistics.canceled(deliveries.endpointId, count);
    return count;
  },
});
