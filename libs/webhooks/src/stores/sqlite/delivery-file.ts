import { randomUUID } from 'node:crypto';
import type { Database } from '@refledger/sqlite';
import { claims } from './claims.js';
import { deliveryTables } from './delivery-tables.js';
import { outcomes } from './outcomes.js';
import { planning } from './planning.js';
import { reading } from './reading.js';
import { recovery } from './recovery.js';
import { retention } from './retention.js';

/**
 * The calls of the store over one connection. They are synchronous and run within the caller's
 * transaction.
 */
export const deliveryFile = (db: Database) => {
  const tables = deliveryTables(db);
  return {
    id: (): string => tables.offsets.fact('store_id', randomUUID),
    ...planning(tables),
    ...claims(tables),
    ...recovery(tables),
    ...outcomes(tables),
    ...reading(tables),
    ...retention(tables),
  };
};

export type DeliveryFile = ReturnType<typeof deliveryFile>;
