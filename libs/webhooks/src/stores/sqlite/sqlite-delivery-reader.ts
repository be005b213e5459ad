import { canonicalPath, openDatabase } from '@refledger/sqlite';
import type { OpenDeliveryReader } from '../open-delivery-reader.js';
import { DeliveryStoreError } from '../delivery-store.js';
import { deliveryStoreFormat } from './delivery-store.format.js';
import { readPage } from '../read-page.js';
import { rangeReader } from './lists.js';
import { statementsOf, toDelivery, type DeliveryRow } from './statements.js';
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
    const findRange = rangeReader(db);
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
      find: (query) => attempted(() => readPage(query, findRange)),
      close: () => attempted(() => db.close()),
    };
  });
};
