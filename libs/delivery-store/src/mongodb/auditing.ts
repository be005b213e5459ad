import type { EndpointId, Position } from '@refledger/contracts';
import type { Collection } from 'mongodb';
import type { AuditReader } from '../delivery-store.js';
import type { DeliveryDocument } from './delivery-document.js';
import type { StoreState } from './store-state.js';

/** Up to which event a sweep has removed deliveries of an endpoint. */
export interface RemovedDocument {
  readonly _id: EndpointId;
  readonly through: bigint;
}

/** The methods of the store that an audit reads with. */
export const auditing = (
  deliveries: Collection<DeliveryDocument>,
  removed: Collection<RemovedDocument>,
  state: Pick<StoreState, 'endedBefore'>,
): Omit<AuditReader, 'floor'> => ({
  async statuses(ids) {
    const found = await deliveries
      .find({ _id: { $in: [...ids] } }, { projection: { status: 1 } })
      .toArray();
    return new Map(found.map(({ _id, status }) => [_id, status]));
  },

  async removed() {
    const found = await removed.find().toArray();
    return {
      endedBefore: await state.endedBefore(),
      heldThrough: new Map(found.map(({ _id, through }) => [_id, through.toString() as Position])),
    };
  },
});

/** Notes that deliveries of endpoints are removed, up to that of an event. */
export const noteRemoved = async (
  removed: Collection<RemovedDocument>,
  through: ReadonlyMap<EndpointId, bigint>,
): Promise<void> => {
  for (const [_id, position] of through)
    await removed.updateOne({ _id }, { $max: { through: position } }, { upsert: true });
};
