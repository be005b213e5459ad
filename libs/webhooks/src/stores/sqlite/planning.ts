import type { DeliveryId, Position } from '@refledger/contracts';
import type { BusPlace } from '@refledger/event-bus';
import type { Lease, Plan } from '../delivery-store.js';
import type { DeliveryTables } from './delivery-tables.js';
import { begun, fromAttempts } from './rows.js';

/** What the planner asks: places in the bus, the floor, and plans. */
export const planning = ({ statements, places, counted }: DeliveryTables) => ({
  place: (partition: string): BusPlace | undefined => places.get(partition),
  places: (): readonly BusPlace[] => places.all(),
  floor: (): Position | undefined => places.floor(),
  resetPlaces: (all: readonly BusPlace[], floor: Position | undefined): void =>
    places.reset(all, floor),

  plan: (
    { deliveries, place, floor }: Plan,
    { holder, leaseUntil, now: at }: Lease,
  ): readonly DeliveryId[] =>
    counted((tally) => {
      const inserted: DeliveryId[] = [];
      const firstAttempt = fromAttempts([begun(1, at)]);
      for (const delivery of deliveries) {
        const { id, accountId, endpointId, eventId, eventType, position, body, status } = delivery;
        const started = status === 'started';
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
      places.raise(place);
      places.raiseFloor(floor);
      return inserted;
    }),
});
