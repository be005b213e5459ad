import type { DeliveryId, EndpointId } from '@refledger/contracts';
import type { Delivery, DeliveryStatus, DeliveryStore } from '../delivery-store.js';
import { many, type DeliveryTables } from './delivery-tables.js';
import { toDelivery, type DeliveryRow } from './rows.js';

/** The calls that read deliveries for operators. */
export const reading = ({ statements, counts }: DeliveryTables) => ({
  get: (id: DeliveryId): Delivery | undefined =>
    many<DeliveryRow>(statements.get.all(id)).map(toDelivery)[0],
  list: ({ endpointId, limit, after }: Parameters<DeliveryStore['list']>[0]): readonly Delivery[] =>
    many<DeliveryRow>(statements.list.all({ endpointId, limit, after: after ?? null })).map(
      toDelivery,
    ),
  endpoints: (): readonly EndpointId[] => counts.endpoints(),
  counts: (endpoint?: EndpointId): Readonly<Record<DeliveryStatus, number>> =>
    counts.read(endpoint),
});
