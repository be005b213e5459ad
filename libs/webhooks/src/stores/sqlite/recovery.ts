import type { Tally } from './counts.js';
import type { DeliveryTables, SynchronousStore } from './delivery-tables.js';
import { toAttempts, type LostRow } from './statements.js';

/**
 * The calls for the leases of holders, and those that correct deliveries after a crash, and after
 * the clock was put back.
 */
export const recovery = ({ statements, counted }: DeliveryTables) => {
  const makeDue = (lost: readonly LostRow[], now: string, tally: Tally): number => {
    for (const { seq, endpointId, attempts } of lost) {
      const closed = toAttempts(attempts).map((attempt) =>
        attempt.finishedAt === null ? { ...attempt, finishedAt: now, outcome: 'unknown' } : attempt,
      );
      statements.recover.run(now, JSON.stringify(closed), seq);
      tally.move(endpointId, 'sending', 'waiting');
    }
    return lost.length;
  };
  return {
    renew: ({ holder, leaseUntil }) => void statements.renew.run(holder, leaseUntil),

    recover: ({ holder, sending, now }) =>
      counted((tally) => {
        const sent = new Set<string>(sending);
        const lost = statements.lost
          .all({ now, holder })
          .filter((row) => row.holder !== holder || !sent.has(row.id));
        statements.removeLeases.run(now);
        return makeDue(lost, now, tally);
      }),

    recoverLeftBy: (holder, now) =>
      counted((tally) => makeDue(statements.leftBy.all(holder), now, tally)),

    reschedule({ now, leaseUntil }) {
      statements.shortenClaims.run({ leaseUntil });
      statements.shortenLeases.run({ leaseUntil });
      return Number(statements.reschedule.run({ now }).changes);
    },
  } satisfies Partial<SynchronousStore>;
};
