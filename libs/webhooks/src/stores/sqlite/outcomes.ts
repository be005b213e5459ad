import type { DeliveryTables, SynchronousStore } from './delivery-tables.js';
import type { EndpointRow } from './statements.js';

/** The calls that end deliveries, and the call that removes ended ones. */
export const outcomes = ({ statements, counted }: DeliveryTables) =>
  ({
    recordOutcomes: (results, holder) =>
      counted((tally) => {
        for (const { deliveryId, number, endedAt, attempt, failures, next } of results) {
          const dueAt = next.status === 'waiting' ? next.dueAt : null;
          const reason =
            next.status === 'failed' || next.status === 'canceled' ? next.reason : null;
          const row = statements.recordOutcomes.get({
            status: next.status,
            attempt: attempt === null ? null : JSON.stringify(attempt),
            failures,
            dueAt,
            finishedAt: next.status === 'waiting' ? null : endedAt,
            reason,
            deliveryId,
            holder,
            number,
          });
          if (row !== undefined) tally.move(row.endpointId, 'sending', next.status);
        }
      }),

    cancelSome: (endpoint, { decidedBelow, reason, now }, limit) =>
      counted((tally) => {
        const below = BigInt(decidedBelow);
        const canceled = Number(statements.cancel.run(now, reason, endpoint, below, limit).changes);
        tally.move(endpoint, 'waiting', 'canceled', canceled);
        return canceled;
      }),

    unfinished: (endpoint) => statements.unfinished.all({ endpoint }),

    cancelUnfinished: (deliveries, reason, now) =>
      counted((tally) => {
        let canceled = 0;
        const move = (row: EndpointRow | undefined, from: 'waiting' | 'sending'): void => {
          if (row === undefined) return;
          tally.move(row.endpointId, from, 'canceled');
          canceled++;
        };
        for (const delivery of deliveries) {
          move(statements.cancelDue.get(now, reason, delivery), 'waiting');
          move(statements.cancelStarted.get({ at: now, reason, delivery }), 'sending');
        }
        return canceled;
      }),

    expire: (before, limit) =>
      counted((tally) => {
        const ended = statements.ended.all(before, limit);
        statements.removeRates.run(Date.parse(before));
        for (const { seq, endpointId, status } of ended) {
          statements.remove.run(seq);
          statements.removeBody.run(seq);
          tally.move(endpointId, status, undefined);
        }
        return ended.length;
      }),
  }) satisfies Partial<SynchronousStore>;
