import type { EndpointId } from '@refledger/contracts';
import { idsOf } from '@refledger/mongodb';
import type { Collection, Filter, FindOptions } from 'mongodb';
import type { SchedulerStore, SweptDeliveries } from '../scheduler-store.js';
import { noteRemoved, type RemovedDocument } from './auditing.js';
import type { DeliveryDocument } from './delivery-document.js';
import { inSteps } from './in-steps.js';
import type { RateDocument } from './rates.js';
import type { StoreState } from './store-state.js';

/**
 * The methods of the store that remove deliveries that ended long ago, and end those that have been
 * held for too long.
 */
export const removal = (
  deliveries: Collection<DeliveryDocument>,
  rates: Collection<RateDocument>,
  removed: Collection<RemovedDocument>,
  state: Pick<StoreState, 'raiseEndedBefore'>,
): Pick<SchedulerStore, 'expire' | 'sweep' | 'removeSwept'> => ({
  async expire(before, limit) {
    await state.raiseEndedBefore(before);
    const old: Filter<DeliveryDocument> = { finished_at: { $lt: before } };
    const ids = await idsOf(deliveries, old, { sort: { finished_at: 1 }, limit });
    const { deletedCount } = await deliveries.deleteMany({ ...old, _id: { $in: ids } });
    await rates.deleteMany({ full_at: { $lt: Date.parse(before) } });
    return deletedCount;
  },

  async removeSwept(before, limit) {
    const swept = await deliveries
      .find(
        { swept_at: { $lt: before } },
        { sort: { swept_at: 1 }, limit, projection: sweptFields },
      )
      .toArray();
    const through = new Map<EndpointId, bigint>();
    for (const { endpoint_id: endpoint, position, trigger } of swept)
      if (trigger === 'event' && position > (through.get(endpoint) ?? -1n))
        through.set(endpoint, position);
    // noted first, as above: a removed delivery must never look like a missing one
    await noteRemoved(removed, through);
    const ids = swept.map(({ _id }) => _id);
    return (await deliveries.deleteMany({ _id: { $in: ids } })).deletedCount;
  },

  async sweep(which, { reason, now, limit }) {
    let swept = 0;
    const end = { status: 'canceled', finished_at: now, reason, swept_at: now } as const;
    for (const ids of inSteps(await idsOf(deliveries, ...sweptBy(which, limit)))) {
      const held = { _id: { $in: ids }, status: 'held' } as const;
      swept += (await deliveries.updateMany(held, { $set: end })).modifiedCount;
    }
    return swept;
  },
});

const sweptFields = { endpoint_id: 1, position: 1, trigger: 1 } as const;

/** How the deliveries to sweep are found, oldest first. */
const sweptBy = (
  which: SweptDeliveries,
  limit: number,
): [filter: Filter<DeliveryDocument>, options: FindOptions] => {
  if ('accountId' in which)
    return [
      { account_id: which.accountId, status: 'held' },
      { sort: { position: 1, _id: 1 }, hint: 'held_by_account', limit },
    ];
  const { endpointId: endpoint_id, createdBefore } = which;
  return createdBefore === undefined
    ? [
        { endpoint_id, status: 'held' },
        { sort: { position: 1, _id: 1 }, hint: 'held_by_endpoint', limit },
      ]
    : [
        { endpoint_id, status: 'held', created_at: { $lt: createdBefore } },
        { sort: { created_at: 1 }, hint: 'list_of_endpoint_by_status', limit },
      ];
};
