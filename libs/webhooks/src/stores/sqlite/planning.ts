import type { DeliveryId, Position } from '@refledger/contracts';
import type { Offset } from '@refledger/event-bus';
import type { Lease, Plan } from '../delivery-store.js';
import type { DeliveryTables } from './delivery-tables.js';
import { begun, fromAttempts } from './rows.js';

/** The calls for the planner: offsets in the bus, the floor, and plans. */
export const planning = ({ statements, offsets, counted }: DeliveryTables) => ({
  offset: (partition: string): Offset | undefined => offsets.get(partition),
  offsets: (): readonly Offset[] => offsets.all(),
  floor: (): Position | undefined => offsets.floor(),
  resetOffsets: (all: readonly Offset[], floor: Position | undefined): void =>
    offsets.reset(all, floor),

  plan: (
    { deliveries, offset, floor }: Plan,
    { holder, leaseUntil, now: at }: Lease,
  ): readonly DeliveryId[] =>
    counted((tally) => {
      const inserted: DeliveryId[] = [];
      const firstAttempt = fromAttempts([begun(1, at)]);
      for (const delivery of deliveries) {
        const { id, accountId, endpointId, eventId, eventType, position, body, status } = delivery;
        const started = status === 'sending';
        const { changes, lastInsertRowid } = statements.insert.run(
          id,
          accountId,
          endpointId,
          eventId,
          eventType,
          position,
          status,
          started ? 1 : 0,
          started ? firstAttempt : '[]',
          started ? holder : null,
          started ? leaseUntil : null,
          started ? null : at,
          at,
        );
        if (changes === 0) continue;
        statements.insertBody.run(lastInsertRowid, Buffer.from(body));
        tally.move(endpointId, undefined, status);
        inserted.push(id);
      }
      offsets.raise(offset);
      offsets.raiseFloor(floor);
      return inserted;
    }),
});
