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

    endpointsWithWork: (now) => statements.endpointsWithWork.all(now, now).map(({ id }) => id),

    nextDueAt: (after) => statements.nextDueAt.get(after, after)?.at ?? undefined,

    renew(deliveries, { holder, leaseUntil }) {
      for (const delivery of deliveries) statements.renew.run(leaseUntil, delivery, holder);
    },

    release: (deliveries, { holder, now }) =>
      counted((tally) => {
        for (const delivery of deliveries) {
          const row = statements.release.get(now, delivery, holder);
          if (row !== undefined) tally.move(row.endpointId, 'sending', 'waiting');
        }
      }),

    recover: ({ now, leftBy, except = [] }) =>
      counted((tally) => {
        const kept = new Set<string>(except);
        const lost = statements.lost.all(now, leftBy ?? null).filter(({ id }) => !kept.has(id));
        for (const { seq, endpointId, attempts } of lost) {
          const closed = toAttempts(attempts).map((attempt) =>
            attempt.finishedAt === null
              ? { ...attempt, finishedAt: now, outcome: 'unknown' }
              : attempt,
          );
          statements.recover.run(now, JSON.stringify(closed), seq);
          tally.move(endpointId, 'sending', 'waiting');
        }
        return lost.length;
      }),

    reschedule({ now, leaseUntil }) {
      statements.shortenLeases.run({ leaseUntil });
      return Number(statements.reschedule.run({ now }).changes);
    },
  }) satisfies Partial<SynchronousStore>;
