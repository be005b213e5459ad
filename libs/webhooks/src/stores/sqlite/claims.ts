import type { DeliveryId, EndpointId } from '@refledger/contracts';
import type { Delivery, Lease } from '../delivery-store.js';
import { many, one, type DeliveryTables } from './delivery-tables.js';
import { begun, fromAttempts, toAttempts, toDelivery, type DeliveryRow } from './rows.js';

/** The calls for the scheduler: finding due deliveries, and claiming them. */
export const claims = ({ statements, counted }: DeliveryTables) => ({
  claim: (
    endpoint: EndpointId,
    limit: number,
    { holder, leaseUntil, now: at }: Lease,
  ): readonly Delivery[] =>
    counted((tally) => {
      const taken = many<DeliveryRow>(statements.waiting.all(endpoint, at, limit)).map(
        (row): Delivery => {
          const before = toAttempts(row.attempts);
          const attempts = [...before, begun(before.length + 1, at)];
          statements.start.run(
            attempts.length,
            fromAttempts(attempts),
            holder,
            leaseUntil,
            row.seq,
          );
          return { ...toDelivery(row), status: 'sending', dueAt: null, attempts };
        },
      );
      tally.move(endpoint, 'waiting', 'sending', taken.length);
      return taken;
    }),

  endpointsWithWork: (at: string): readonly EndpointId[] =>
    many<{ id: EndpointId }>(statements.endpointsWithWork.all(at, at)).map(({ id }) => id),
  nextDueAt: (after: string): string | undefined =>
    one<{ at: string | null }>(statements.nextDueAt.get(after, after))?.at ?? undefined,

  renew(deliveries: readonly DeliveryId[], { holder, leaseUntil }: Lease): void {
    for (const delivery of deliveries) statements.renew.run(leaseUntil, delivery, holder);
  },

  release: (
    deliveries: readonly DeliveryId[],
    { holder, now: at }: Pick<Lease, 'holder' | 'now'>,
  ): void =>
    counted((tally) => {
      for (const delivery of deliveries) {
        const row = one<{ endpoint_id: EndpointId }>(statements.release.get(at, delivery, holder));
        if (row !== undefined) tally.move(row.endpoint_id, 'sending', 'waiting');
      }
    }),
});
