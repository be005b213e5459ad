import type { DeliveryId, EndpointId } from '@refledger/contracts';
import type { AttemptResult, UnfinishedDelivery } from '../delivery-store.js';
import { many, one, type DeliveryTables } from './delivery-tables.js';
import { toUnfinished, type DeliveryRow } from './rows.js';

/** The calls that end deliveries: the outcomes of attempts, and cancellations. */
export const outcomes = ({ statements, counted }: DeliveryTables) => ({
  recordOutcomes: (results: readonly AttemptResult[], holder: string): void =>
    counted((tally) => {
      for (const { deliveryId, attempt, next } of results) {
        const dueAt = next.status === 'waiting' ? next.dueAt : null;
        const reason = next.status === 'failed' || next.status === 'canceled' ? next.reason : null;
        const row = one<{ endpoint_id: EndpointId }>(
          statements.recordOutcomes.get(
            next.status,
            JSON.stringify(attempt),
            dueAt,
            next.status === 'waiting' ? null : attempt.finishedAt,
            reason,
            deliveryId,
            holder,
            attempt.number,
          ),
        );
        if (row !== undefined) tally.move(row.endpoint_id, 'sending', next.status);
      }
    }),

  /** Cancels up to `limit` deliveries; the caller repeats the call for the others. */
  cancel: (endpoint: EndpointId, reason: string, at: string, limit: number): number =>
    counted((tally) => {
      const canceled = Number(statements.cancel.run(at, reason, endpoint, limit).changes);
      tally.move(endpoint, 'waiting', 'canceled', canceled);
      return canceled;
    }),

  unfinished: (endpoint: EndpointId): readonly UnfinishedDelivery[] =>
    many<Pick<DeliveryRow, 'id' | 'event_id' | 'position'>>(
      statements.unfinished.all({ endpoint }),
    ).map(toUnfinished),

  cancelUnfinished: (deliveries: readonly DeliveryId[], reason: string, at: string): number =>
    counted((tally) => {
      let canceled = 0;
      const move = (row: unknown, from: 'waiting' | 'sending'): void => {
        const endpoint = one<{ endpoint_id: EndpointId }>(row)?.endpoint_id;
        if (endpoint === undefined) return;
        tally.move(endpoint, from, 'canceled');
        canceled++;
      };
      for (const delivery of deliveries) {
        move(statements.cancelDue.get(at, reason, delivery), 'waiting');
        move(statements.cancelStarted.get({ at, reason, delivery }), 'sending');
      }
      return canceled;
    }),
});
