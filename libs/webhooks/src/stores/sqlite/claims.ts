import { startedAttempt, withStarted } from '../delivery.js';
import type { DeliveryTables, SynchronousStore } from './delivery-tables.js';
import { toAttempts, toDelivery } from './statements.js';

/** The calls for the scheduler: finding due deliveries, and claiming them. */
export const claims = ({ statements, counted }: DeliveryTables) =>
  ({
    claim: (endpoint, limit, { holder, leaseUntil, now }) =>
      counted((tally) => {
        const taken = statements.waiting.all(endpoint, now, limit).map((row) => {
          const attemptCount = row.attemptCount + 1;
          const started = startedAttempt(attemptCount, now);
          const attempts = withStarted(toAttempts(row.attempts), started);
          statements.start.run(attemptCount, JSON.stringify(attempts), holder, leaseUntil, row.seq);
          const status = 'sending' as const;
          return { ...toDelivery(row), status, dueAt: null, attemptCount, attempts };
        });
        tally.move(endpoint, 'waiting', 'sending', taken.length);
        return taken;
      }),

    endpointsDue: (now) => statements.endpointsDue.all(now).map(({ id }) => id),

    endpointsUnfinished: () => statements.endpointsUnfinished.all().map(({ id }) => id),

    nextDueAt: (after) => statements.nextDueAt.get(after)?.at ?? undefined,

    release: (deliveries, { holder, now }) =>
      counted((tally) => {
        for (const delivery of deliveries) {
          const row = statements.release.get(now, delivery, holder);
          if (row !== undefined) tally.move(row.endpointId, 'sending', 'waiting');
        }
      }),
  }) satisfies Partial<SynchronousStore>;
