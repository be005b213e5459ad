import type { DeliveryTables, SynchronousStore } from './delivery-tables.js';

/** The calls that an audit reads with. */
export const auditing = ({ statements, offsets }: DeliveryTables) =>
  ({
    statuses: (deliveries) =>
      new Map(
        statements.statuses.all(JSON.stringify(deliveries)).map(({ id, status }) => [id, status]),
      ),
    removed: () => ({
      endedBefore: offsets.endedBefore(),
      heldThrough: new Map(statements.heldThrough.all().map(({ id, through }) => [id, through])),
    }),
  }) satisfies Partial<SynchronousStore>;
