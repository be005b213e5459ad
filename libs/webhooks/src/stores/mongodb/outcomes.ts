import type { Collection } from 'mongodb';
import type { AttemptResult, DeliveryStore } from '../delivery-store.js';
import { asStoreErrors } from './as-store-errors.js';
import { noLease, type DeliveryDocument } from './delivery-document.js';

/** The method of the store that records outcomes. */
export const outcomes = (
  deliveries: Collection<DeliveryDocument>,
): Pick<DeliveryStore, 'recordOutcomes'> => ({
  recordOutcomes: (results, holder) =>
    asStoreErrors(async () => {
      if (results.length === 0) return;
      await deliveries.bulkWrite(
        results.map(({ deliveryId, attempt, next }) => ({
          updateOne: {
            filter: { _id: deliveryId, status: 'sending', holder, attempt: attempt.number },
            update: {
              $set: {
                status: next.status,
                [`attempts.${attempt.number - 1}`]: attempt,
                ...endOf(attempt.finishedAt, next),
              },
              $unset: noLease,
            },
          },
        })),
        { ordered: false },
      );
    }),
});

/** The fields of a delivery after an attempt: when it is due again, or when and why it ended. */
const endOf = (finishedAt: string | null, next: AttemptResult['next']) => {
  if (next.status === 'waiting')
    return { due_at: next.dueAt, ...(finishedAt !== null && { waits_since: finishedAt }) };
  return {
    ...(finishedAt !== null && { finished_at: finishedAt }),
    ...(next.status !== 'succeeded' && { reason: next.reason }),
  };
};
