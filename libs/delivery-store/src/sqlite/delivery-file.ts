import { keysOf } from '@refledger/contracts/values';
import type { Database } from '@refledger/sqlite';
import { canceling } from './canceling.js';
import { claims } from './claims.js';
import { deliveryTables, type SynchronousStore } from './delivery-tables.js';
import { rangeReader } from './lists.js';
import { health } from './health.js';
import { outcomes } from './outcomes.js';
import { planning } from './planning.js';
import { rates } from './rates.js';
import { recovery } from './recovery.js';
import { removal } from './removal.js';
import { auditing } from './auditing.js';
import { replays } from './replays.js';
import { requests } from './requests.js';
import { toDelivery } from './statements.js';
import { statistics, statisticsReader } from './statistics.js';

/**
 * The calls of the store over one connection. They are synchronous and run within the caller's
 * transaction.
 */
export const deliveryFile = (db: Database): DeliveryFile => {
  const tables = deliveryTables(db);
  const { statements, offsets, counts } = tables;
  const file: SynchronousStore = {
    ...planning(tables),
    ...requests(tables),
    ...replays(db, tables),
    ...claims(tables),
    ...recovery(tables),
    ...outcomes(tables),
    ...canceling(tables),
    ...removal(tables),
    ...rates(tables),
    ...health(tables),
    ...auditing(tables),
    ...statistics(db),
    ...statisticsReader(db),
    findRange: rangeReader(db),
    get: (id) => statements.get.all(id).map(toDelivery)[0],
    list: ({ after = null, ...query }) => statements.list.all({ ...query, after }).map(toDelivery),
    endpoints: () => counts.endpoints(),
    counts: (endpoint) => counts.read(endpoint),
    countUnfinished: (endpoint, limit) => counts.unfinished(endpoint, limit),
  };
  const names = keysOf(file);
  return {
    ...file,
    existingId: () => offsets.storeId(),
    id: () => offsets.storeId() ?? offsets.createStoreId(),
    names: () => names,
  };
};

export interface DeliveryFile extends SynchronousStore {
  /** The id of the store; undefined while it is being created. */
  existingId(): string | undefined;
  /** The id of the store, which is created when it is first requested. */
  id(): string;
  /** The calls of the store by name, so that its owner can offer them without listing them again. */
  names(): readonly (keyof SynchronousStore)[];
}
