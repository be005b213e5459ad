import type { Collection } from 'mongodb';
import type { DeliveryStore } from '../delivery-store.js';
import { asStoreErrors } from './as-store-errors.js';
import { noLease, toUnfinished, type DeliveryDocument } from './delivery-document.js';

/** The methods of the store that end deliveries before they are sent. */
export const canceling = (
  deliveries: Collection<DeliveryDocument>,
): Pick<DeliveryStore, 'cancel' | 'unfinished' | 'cancelUnfinished'> => ({
  cancel: (endpoint, reason, now) =>
    asStoreErrors(
      async () =>
        (
          await deliveries.updateMany(
            { endpoint_id: endpoint, status: 'waiting' },
            { $set: { status: 'canceled', finished_at: now, reason }, $unset: { due_at: '' } },
          )
        ).modifiedCount,
    ),

  unfinished: (endpoint) =>
    asStoreErrors(async () => {
      const found = await Promise.all(
        (['waiting', 'sending'] as const).map((status) =>
          deliveries
            .find({ endpoint_id: endpoint, status }, { projection: { event_id: 1, position: 1 } })
            .toArray(),
        ),
      );
      // a delivery that was claimed or released meanwhile is in both results
      return [
        ...new Map(found.flat().map((document) => [document._id, toUnfinished(document)])).values(),
      ];
    }),

  cancelUnfinished: (ids, reason, now) =>
    asStoreErrors(async () => {
      const these = { _id: { $in: [...ids] } };
      const end = { status: 'canceled', finished_at: now, reason } as const;
      const unknown = {
        'attempts.$[open].finishedAt': now,
        'attempts.$[open].outcome': 'unknown',
      } as const;
      for (let canceled = 0; ;) {
        const due = await deliveries.updateMany(
          { ...these, status: 'waiting' },
          { $set: end, $unset: { due_at: '' } },
        );
        const started = await deliveries.updateMany(
          { ...these, status: 'sending' },
          { $set: { ...end, ...unknown }, $unset: noLease },
          { arrayFilters: [{ 'open.outcome': null }] },
        );
        canceled += due.modifiedCount + started.modifiedCount;
        // others may have released some of these meanwhile
        if (due.modifiedCount + started.modifiedCount === 0) return canceled;
      }
    }),
});
