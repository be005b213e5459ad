import type { EndpointId } from '@refledger/contracts';
import type { Lease } from '../delivery-store.js';
import { many, type DeliveryTables } from './delivery-tables.js';
import { fromAttempts, toAttempts } from './rows.js';

/** The calls that correct deliveries after a crash, and after the clock was put back. */
export const recovery = ({ statements, counted }: DeliveryTables) => ({
  recover: ({
    now: at,
    leftBy = null,
  }: {
    readonly now: string;
    readonly leftBy?: string | null;
  }): number =>
    counted((tally) => {
      const lost = many<{ seq: number; endpoint_id: EndpointId; attempts: string }>(
        statements.lost.all(at, leftBy),
      );
      for (const { seq, endpoint_id, attempts } of lost) {
        const closed = toAttempts(attempts).map((attempt) =>
          attempt.finishedAt === null
            ? { ...attempt, finishedAt: at, outcome: 'unknown' as const }
            : attempt,
        );
        statements.recover.run(at, fromAttempts(closed), seq);
        tally.move(endpoint_id, 'sending', 'waiting');
      }
      return lost.length;
    }),

  reschedule({ now, leaseUntil }: Pick<Lease, 'now' | 'leaseUntil'>): number {
    statements.shortenLeases.run({ leaseUntil });
    return Number(statements.reschedule.run({ now }).changes);
  },
});
