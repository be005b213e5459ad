import { randomUUID } from 'node:crypto';
import type { Database } from '@refledger/sqlite';
import { claims } from './claims.js';
import { deliveryTables, type SynchronousStore } from './delivery-tables.js';
import { rangeReader } from './lists.js';
import { outcomes } from './outcomes.js';
import { planning } from './planning.js';
import { rates } from './rates.js';
import { recovery } from './recovery.js';
import { toDelivery } from './statements.js';

/**
 * The calls of the store over one connection. They are synchronous and run within the caller's
 * transaction.
 */
export const deliveryFile = (db: Database): DeliveryFile => {
  const tables = deliveryTables(db);
  const { statements, offsets, counts } = tables;
  return {
    id: () => offsets.fact('store_id', randomUUID),
    ...planning(tables),
    ...claims(tables),
    ...recovery(tables),
    ...outcomes(tables),
    ...rates(tables),
    findRange: rangeReader(db),
    get: (id) => statements.get.all(id).map(toDelivery)[0],
    list: ({ after = null, ...query }) => statements.list.all({ ...query, after }).map(toDelivery),
    endpoints: () => counts.endpoints(),
    counts: (endpoint) => counts.read(endpoint),
  };
};

export interface DeliveryFile extends SynchronousStore {
  id(): string;
}
