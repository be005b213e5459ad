import type { ReplayId } from '@refledger/contracts';
import type { AttemptResult } from '../scheduler-store.js';
import type { DeliveryTables, SynchronousStore } from './delivery-tables.js';

/** The call that records outcomes. */
export const outcomes = ({ statements, counted }: DeliveryTables) => {
  const countReplayed = (replay: ReplayId, status: AttemptResult['next']['status']): void => {
    if (status === 'succeeded') statements.countReplayed.run(1, 0, replay);
    if (status === 'failed') statements.countReplayed.run(0, 1, replay);
  };
  return {
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
            finishedAt: next.status === 'waiting' || next.status === 'held' ? null : endedAt,
            reason,
            deliveryId,
            holder,
            number,
          });
          if (row === undefined) continue;
          tally.move(row.endpointId, 'sending', next.status);
          if (row.replayId !== null) countReplayed(row.replayId, next.status);
        }
      }),
  } satisfies Partial<SynchronousStore>;
};
