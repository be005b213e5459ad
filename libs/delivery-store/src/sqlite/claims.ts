import { startedAttempt, withStarted, type Delivery } from '../delivery.js';
import type { Lease } from '../lease.js';
import { claimableStatus } from '../scheduler-store.js';
import type { DeliveryTables, SynchronousStore } from './delivery-tables.js';
import { toAttempts, toDelivery, type DeliveryRow } from './statements.js';

/** The calls for the scheduler: finding deliveries that may be sent, and claiming them. */
export const claims = ({ statements, counted }: DeliveryTables) => {
  const start = (row: DeliveryRow, { holder, leaseUntil, now }: Lease): Delivery => {
    const attemptCount = row.attemptCount + 1;
    const attempts = withStarted(toAttempts(row.attempts), startedAttempt(attemptCount, now));
    statements.start.run(attemptCount, JSON.stringify(attempts), holder, leaseUntil, row.seq);
    return { ...toDelivery(row), status: 'sending', dueAt: null, attemptCount, attempts };
  };
  return {
    claim: (endpoint, limit, lease, from = 'waiting') =>
      counted((tally) => {
        const rows =
          from === 'waiting'
            ? statements.waiting.all(endpoint, lease.now, limit)
            : statements[from === 'held' ? 'held' : 'replaying'].all(endpoint, limit);
        tally.move(endpoint, claimableStatus(from), 'sending', rows.length);
        return rows.map((row) => start(row, lease));
      }),

    claimTests: (endpoint, lease) =>
      counted((tally) => {
        const rows = statements.tests.all(endpoint);
        tally.move(endpoint, 'waiting', 'sending', rows.length);
        return rows.map((row) => start(row, lease));
      }),

    keepBodies: (bodies, holder) =>
      bodies.flatMap(({ id, body }) =>
        statements.keepBody.run(Buffer.from(body), id, holder).changes === 0 ? [] : [id],
      ),

    endpointsHeld: () => statements.endpointsHeld.all().map(({ id }) => id),

    endpointsDue: (now) => statements.endpointsDue.all(now).map(({ id }) => id),

    endpointsUnfinished: () => statements.endpointsUnfinished.all().map(({ id }) => id),

    nextDueAt: (after) => statements.nextDueAt.get(after)?.at ?? undefined,

    release: (deliveries, { holder, now }, from) =>
      counted((tally) => {
        const dueAt = from === 'waiting' ? now : null;
        const to = claimableStatus(from);
        for (const delivery of deliveries) {
          const row = statements.release.get({ to, dueAt, delivery, holder });
          if (row !== undefined) tally.move(row.endpointId, 'sending', to);
        }
      }),
  } satisfies Partial<SynchronousStore>;
};
