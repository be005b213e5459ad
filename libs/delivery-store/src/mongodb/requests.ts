import type { EndpointId } from '@refledger/contracts';
import { duplicateKey, ignoring, insertNew } from '@refledger/mongodb';
import type { Collection } from 'mongodb';
import type { ReplayRequests } from '../replay-store.js';
import type { RequestStore } from '../request-store.js';
import type { SchedulerStore } from '../scheduler-store.js';
import { toDocument, type DeliveryDocument } from './delivery-document.js';
import { makeDue } from './redelivery-keys.js';

/** A note that a delivery to this endpoint was requested. */
export interface RequestDocument {
  readonly _id: EndpointId;
}

/** The methods of the store for requested deliveries. */
export const requests = (
  deliveries: Collection<DeliveryDocument>,
  notes: Collection<RequestDocument>,
): Omit<RequestStore, keyof ReplayRequests> & Pick<SchedulerStore, 'takeRequested'> => {
  const note = async (endpoint: EndpointId): Promise<void> => {
    // another request may have noted it already
    await notes.insertOne({ _id: endpoint }).catch(ignoring(duplicateKey));
  };
  return {
    async request(delivery, now, key) {
      const document = { ...toDocument(delivery, 0, { now }), ...(key && { keys: [key] }) };
      // met are one with its id, and one that was answered to its key
      const there = await insertNew(deliveries, [document]);
      if (there.length > 0) return false;
      await note(delivery.endpointId);
      return true;
    },

    async makeDue(id, now, key) {
      const endpoint = await makeDue(deliveries, { id, now, key });
      if (typeof endpoint === 'string') await note(endpoint);
      return endpoint !== undefined;
    },

    async cancelWaiting(delivery, reason, now) {
      const { modifiedCount } = await deliveries.updateOne(
        { _id: delivery, status: 'waiting' },
        { $set: { status: 'canceled', finished_at: now, reason }, $unset: { due_at: '' } },
      );
      return modifiedCount > 0;
    },

    async takeRequested() {
      const noted = (await notes.find().toArray()).map(({ _id }) => _id);
      if (noted.length > 0) await notes.deleteMany({ _id: { $in: noted } });
      return noted;
    },
  };
};
