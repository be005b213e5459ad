import { toInstant } from '@refledger/contracts/values';
import { lateTest, lostTest, testIsLateAfterMs } from '../delivery.js';
import type { Tally } from './counts.js';
import type { DeliveryTables, SynchronousStore } from './delivery-tables.js';
import { toAttempts, type LostRow } from './statements.js';

/**
 * The calls for the leases of holders, and those that correct deliveries after a crash, and after
 * the clock was put back.
 */
export const recovery = ({ statements, counted }: DeliveryTables) => {
  /** Makes lost deliveries due, and fails lost tests. Returns how many. */
  const recoverAll = (lost: readonly LostRow[], now: string, tally: Tally): number => {
    for (const { seq, endpointId, trigger, attempts } of lost) {
      const closed = toAttempts(attempts).map((attempt) =>
        attempt.finishedAt === null ? { ...attempt, finishedAt: now, outcome: 'unknown' } : attempt,
      );
      const ended = JSON.stringify(closed);
      if (trigger === 'test') statements.failTest.run(now, lostTest, ended, seq);
      else statements.recover.run(now, ended, seq);
      tally.move(endpointId, 'sending', trigger === 'test' ? 'failed' : 'waiting');
    }
    return lost.length;
  };
  const cancelLateTests = (now: string, tally: Tally): void => {
    const before = toInstant(Date.parse(now) - testIsLateAfterMs);
    for (const { endpointId } of statements.cancelLateTests.all({ now, before, reason: lateTest }))
      tally.move(endpointId, 'waiting', 'canceled');
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
        cancelLateTests(now, tally);
        return recoverAll(lost, now, tally);
      }),

    recoverLeftBy: (holder, now) =>
      counted((tally) => recoverAll(statements.leftBy.all(holder), now, tally)),

    reschedule({ now, leaseUntil }) {
      statements.shortenClaims.run({ leaseUntil });
      statements.shortenLeases.run({ leaseUntil });
      return Number(statements.reschedule.run({ now }).changes);
    },
  } satisfies Partial<SynchronousStore>;
};
