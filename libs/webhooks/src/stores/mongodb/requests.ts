import type { EndpointId } from '@refledger/contracts';
import { duplicateKey, ignoring, insertNew } from '@refledger/read-store/mongodb/engine';
import type { Collection } from 'mongodb';
import type { ReplayRequests } from '../replay-store.js';
import type { RequestStore } from '../request-store.js';
import type { SchedulerStore } from '../scheduler-store.js';
import { toDocument, type DeliveryDocument } from './delivery-document.js';

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
    async request(delivery, now) {
      const there = await insertNew(deliveries, [toDocument(delivery, 0, { now })]);
      if (there.length > 0) return false;
      await note(delivery.endpointId);
      return true;
    },

    async makeDue(delivery, now) {
      const madeDue = await deliveries.findOneAndUpdate(
        {
          _id: delivery,
          status: 'waiting',
          trigger: { $ne: 'test' },
          $or: [{ due_at: { $gt: now } }, { due_at: { $exists: false } }],
        },
        { $set: { due_at: now, waits_since: now } },
        { projection: { endpoint_id: 1 } },
      );
      if (madeDue !== null) await note(madeDue.endpoint_id);
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
