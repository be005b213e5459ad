import type { DeliveryId, DeliveryStatus, EndpointId, Position } from '@refledger/contracts';

/** Which deliveries were removed, and so may be missing. */
interface RemovedDeliveries {
  /** Those that ended before this instant (RFC 3339). Undefined: none. */
  readonly endedBefore: string | undefined;
  /** Per endpoint, the position of the last event whose held delivery a sweep removed. */
  readonly heldThrough: ReadonlyMap<EndpointId, Position>;
}

/** What an audit reads of a delivery store, to compare it with the log. */
export interface AuditReader {
  /** The floor: everything at or below it is planned. */
  floor(): Promise<Position | undefined>;
  /** The statuses of these deliveries, for those that are in the store. */
  statuses(deliveries: readonly DeliveryId[]): Promise<ReadonlyMap<DeliveryId, DeliveryStatus>>;
  removed(): Promise<RemovedDeliveries>;
}
