import { startedAttempt } from '../delivery.js';
import type { DeliveryTables, SynchronousStore } from './delivery-tables.js';
import { toAttempts, toDelivery } from './statements.js';

/** The calls for the scheduler: finding due deliveries, and claiming them. */
export const claims = ({ statements, counted }: DeliveryTables) =>
  ({
    claim: (endpoint, limit, { holder, leaseUntil, now }) =>
      counted((tally) => {
        const taken = statements.waiting.all(endpoint, now, limit).map((row) => {
          const before = toAttempts(row.attempts);
          const attempts = [...before, startedAttempt(before.length + 1, now)];
          const text = JSON.stringify(attempts);
          statements.start.run(attempts.length, text, holder, leaseUntil, row.seq);
          return { ...toDelivery(row), status: 'sending' as const, dueAt: null, attempts };
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
