import type { DeliveryId } from '@refledger/contracts';
import { startedAttempt } from '../delivery.js';
import type { DeliveryTables, SynchronousStore } from './delivery-tables.js';

/** The calls for the planner: offsets in the bus, the floor, and plans. */
export const planning = ({ statements, offsets, counted }: DeliveryTables) =>
  ({
    offset: (partition) => offsets.get(partition),

    offsets: () => offsets.all(),

    floor: () => offsets.floor(),

    resetOffsets: (all, floor) => offsets.reset(all, floor),

    plan: ({ deliveries, offset, floor }, { holder, leaseUntil, now }) =>
      counted((tally) => {
        const inserted: DeliveryId[] = [];
        const firstAttempt = JSON.stringify([startedAttempt(1, now)]);
        for (const delivery of deliveries) {
          const { id, accountId, endpointId, eventId, eventType, objectId, body, status } =
            delivery;
          const started = status === 'sending';
          const { changes, lastInsertRowid } = statements.insert.run(
            id,
            accountId,
            endpointId,
            eventId,
            eventType,
            objectId,
            delivery.trigger,
            delivery.position,
            BigInt(delivery.decidedAt),
            status,
            started ? 1 : 0,
            started ? firstAttempt : '[]',
            started ? holder : null,
            started ? leaseUntil : null,
            started ? null : now,
            now,
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
  }) satisfies Partial<SynchronousStore>;
