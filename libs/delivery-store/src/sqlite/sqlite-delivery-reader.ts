import { canonicalPath, openDatabase } from '@refledger/sqlite';
import { DeliveryStoreError, type OpenDeliveryReader } from '../delivery-store.js';
import { deliveryFile } from './delivery-file.js';
import { deliveryStoreFormat } from './delivery-store.format.js';
import { readPage } from '../read-page.js';
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
    const calls = deliveryFile(db);
    const id = calls.existingId();
    if (id === undefined) {
      db.close();
      throw new DeliveryStoreError('unavailable', `${path}: this delivery store is being created`);
    }
    return {
      id,
      get: (delivery) => attempted(() => calls.get(delivery)),
      answeredKey: (key) => attempted(() => calls.answeredKey(key)),
      find: (query) => attempted(() => readPage(query, (range) => calls.findRange(range))),
      recoveries: (deliveries) => attempted(() => calls.recoveries(deliveries)),
      failingSince: (endpoints) => attempted(() => calls.failingSince(endpoints)),
      countUnfinished: (endpoint, limit) => attempted(() => calls.countUnfinished(endpoint, limit)),
      replay: (of) => attempted(() => calls.replay(of)),
      replays: (query) => attempted(() => calls.replays(query)),
      statistics: (range) => attempted(() => calls.statistics(range)),
      oldestWaiting: (endpoint) => attempted(() => calls.oldestWaiting(endpoint)),
      floor: () => attempted(() => calls.floor()),
      statuses: (deliveries) => attempted(() => calls.statuses(deliveries)),
      removed: () => attempted(() => calls.removed()),
      close: () => attempted(() => db.close()),
    };
  });
};
