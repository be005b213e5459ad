import type { DeliveryId, EndpointId, Position } from '@refledger/contracts';
import { canonicalPath, openDatabase } from '@refledger/sqlite';
import { DeliveryStoreError, type OpenDeliveryReader } from '../delivery-store.js';
import { deliveryStoreFormat } from './delivery-store.format.js';
import type { Delivery } from '../delivery.js';
import { readPage } from '../read-page.js';
import { heldThrough, statusesOf } from './auditing.js';
import { countsOfEndpoint, unfinishedOf, type StatusCount } from './counts.js';
import type { FailingSeries } from '../health-store.js';
import type { AnsweredKey } from '../redelivery-key.js';
import { failingSince } from './health.js';
import { rangeReader } from './lists.js';
import { offsetKeeper } from './offsets.js';
import { replayReader } from './replays.js';
import { recoveriesOf } from './requests.js';
import { statementsOf, toDelivery, type DeliveryRow } from './statements.js';
import { statisticsReader } from './statistics.js';
import { errorOf, failureOf } from './store-failure.js';

/**
 * Opens an existing delivery file to read it, on a connection of the calling thread. It sees what
 * the store writes. Throws a `DeliveryStoreError` that names the file.
 */
export const openSqliteDeliveryReader = (file: string): Promise<OpenDeliveryReader> => {
  const path = canonicalPath(file);
  const attempted = <T>(work: () => T | Promise<T>): Promise<T> =>
    Promise.resolve()
      .then(work)
      .catch((error: unknown) => {
        throw errorOf(failureOf(error, path));
      });
  return attempted(() => {
    const db = openDatabase(path, {
      format: deliveryStoreFormat,
      readOnly: true,
      synchronous: 'full',
    });
    const get = db.prepare<DeliveryRow>(statementsOf.get);
    const answeredKey = db.prepare<AnsweredKey>(statementsOf.answeredKey);
    const findRange = rangeReader(db);
    const recovery = db.prepare<{ id: DeliveryId }>(statementsOf.recovery);
    const series = db.prepare<FailingSeries>(statementsOf.series);
    const counts = db.prepare<StatusCount>(countsOfEndpoint);
    const statuses = db.prepare<Pick<Delivery, 'id' | 'status'>>(statementsOf.statuses);
    const held = db.prepare<{ id: EndpointId; through: Position }>(statementsOf.heldThrough);
    const { statistics, oldestWaiting } = statisticsReader(db);
    const { floor, endedBefore } = offsetKeeper(db);
    const { replay, replays } = replayReader(db);
    const id = db
      .prepare<{ value: string }>("SELECT value FROM facts WHERE name = 'store_id'")
      .get()?.value;
    if (id === undefined) {
      db.close();
      throw new DeliveryStoreError('unavailable', `${path}: this delivery store is being created`);
    }
    return {
      id,
      get: (delivery) => attempted(() => get.all(delivery).map(toDelivery)[0]),
      answeredKey: (key) => attempted(() => answeredKey.get(key)),
      find: (query) => attempted(() => readPage(query, findRange)),
      recoveries: (deliveries) => attempted(() => recoveriesOf(recovery, deliveries)),
      failingSince: (endpoints) => attempted(() => failingSince(series, endpoints)),
      countUnfinished: (endpoint, limit) =>
        attempted(() => unfinishedOf(counts.all(endpoint), limit)),
      replay: (of) => attempted(() => replay(of)),
      replays: (query) => attempted(() => replays(query)),
      statistics: (range) => attempted(() => statistics(range)),
      oldestWaiting: (endpoint) => attempted(() => oldestWaiting(endpoint)),
      floor: () => attempted(floor),
      statuses: (deliveries) => attempted(() => statusesOf(statuses, deliveries)),
      removed: () =>
        attempted(() => ({ endedBefore: endedBefore(), heldThrough: heldThrough(held) })),
      close: () => attempted(() => db.close()),
    };
  });
};
