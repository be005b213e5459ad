import type { EndpointId } from '@refledger/contracts';
import type { DeliveryStatus } from '../delivery-store.js';
import { many, type DeliveryTables } from './delivery-tables.js';

/** The call that removes old deliveries. */
export const retention = ({ statements, counted }: DeliveryTables) => ({
  expire: (before: string, limit: number): number =>
    counted((tally) => {
      const ended = many<{ seq: number; endpoint_id: EndpointId; status: DeliveryStatus }>(
        statements.ended.all(before, limit),
      );
      for (const { seq, endpoint_id, status } of ended) {
        statements.remove.run(seq);
        statements.removeBody.run(seq);
        tally.move(endpoint_id, status, undefined);
      }
      return ended.length;
    }),
});
