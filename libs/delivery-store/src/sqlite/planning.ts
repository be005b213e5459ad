import type { DeliveryId } from '@refledger/contracts';
import { startedAttempt } from '../delivery.js';
import { waitsItsTurn, type PlannedDelivery } from '../planner-store.js';
import type { DeliveryTables, SynchronousStore } from './delivery-tables.js';
import type { Statements } from './statements.js';

/** The calls for the planner: offsets in the bus, the floor, and plans. */
export const planning = ({ statements, offsets, counted }: DeliveryTables) =>
  ({
    offset: (partition) => offsets.get(partition),

    offsets: () => offsets.all(),

    floor: () => offsets.floor(),

    resetOffsets: (all, floor) => offsets.reset(all, floor),

    plan: ({ deliveries, offset, floor }, lease) =>
      counted((tally) => {
        const inserted: DeliveryId[] = [];
        const insert = inserter(statements, lease);
        for (const delivery of deliveries) {
          if (!insert(delivery)) continue;
          tally.move(delivery.endpointId, undefined, delivery.status);
          inserted.push(delivery.id);
        }
        offsets.raise(offset);
        offsets.raiseFloor(floor);
        return inserted;
      }),
  }) satisfies Partial<SynchronousStore>;

/** The lease of deliveries that begin as `sending`. */
interface InsertLease {
  readonly holder: string | null;
  readonly leaseUntil: string | null;
  readonly now: string;
}

const isDue = (status: PlannedDelivery['status'], of: Pick<PlannedDelivery, 'trigger'>): boolean =>
  status === 'waiting' && !waitsItsTurn(of);

/** Inserts a delivery unless there is one with its id; returns whether it did. */
export const inserter = (statements: Statements, { holder, leaseUntil, now }: InsertLease) => {
  const firstAttempt = JSON.stringify([startedAttempt(1, now)]);
  return ({ status, body, ...delivery }: PlannedDelivery): boolean => {
    const isStarted = status === 'sending';
    const { changes, lastInsertRowid } = statements.insert.run(
      delivery.id,
      delivery.accountId,
      delivery.endpointId,
      delivery.eventId,
      delivery.eventType,
      delivery.objectId,
      delivery.trigger,
      BigInt(delivery.position),
      BigInt(delivery.decidedAt),
      delivery.payload,
      status,
      isStarted ? 1 : 0,
      isStarted ? firstAttempt : '[]',
      isStarted ? holder : null,
      isStarted ? leaseUntil : null,
      isDue(status, delivery) ? now : null,
      status === 'canceled' ? now : null,
      delivery.reason,
      delivery.replayId ?? null,
      now,
    );
    if (changes === 0) return false;
    if (body !== null) statements.insertBody.run(lastInsertRowid, Buffer.from(body));
    return true;
  };
};
