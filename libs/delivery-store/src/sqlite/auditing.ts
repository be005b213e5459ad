import type { DeliveryId, DeliveryStatus, EndpointId, Position } from '@refledger/contracts';
import type { DeliveryTables, SynchronousStore } from './delivery-tables.js';
import type { Statements } from './statements.js';

/** The calls that an audit reads with. */
export const auditing = ({ statements, offsets }: DeliveryTables) =>
  ({
    statuses: (deliveries) => statusesOf(statements.statuses, deliveries),
    removed: () => ({
      endedBefore: offsets.endedBefore(),
      heldThrough: heldThrough(statements.heldThrough),
    }),
  }) satisfies Partial<SynchronousStore>;

export const statusesOf = (
  statement: Statements['statuses'],
  deliveries: readonly DeliveryId[],
): ReadonlyMap<DeliveryId, DeliveryStatus> =>
  new Map(statement.all(JSON.stringify(deliveries)).map(({ id, status }) => [id, status]));

export const heldThrough = (
  statement: Statements['heldThrough'],
): ReadonlyMap<EndpointId, Position> =>
  new Map(statement.all().map(({ id, through }) => [id, through]));
