import { GroupWriter, openDatabase, type CallOf } from '@refledger/sqlite';
import { deliveryFile, type DeliveryFile } from './delivery-file.js';
import { deliveryStoreFormat } from './delivery-store.format.js';

/** A call to the store, by the name of a `DeliveryFile` method. */
export type StoreCall = CallOf<DeliveryFile>;

/** The writer of a delivery file, which it opens with the first group. */
export const deliveryWriter = (file: string, open = openDatabase): GroupWriter<DeliveryFile> =>
  new GroupWriter(file, () => {
    const db = open(file, {
      format: deliveryStoreFormat,
      synchronous: 'full',
      cacheBytes: 4 * 1024 * 1024,
    });
    // 16 MB between checkpoints: a delivery's page changes when it is planned and when it ends, and
    // is then copied into the file only once
    db.exec('PRAGMA wal_autocheckpoint = 4000');
    return { db, methods: deliveryFile(db) };
  });
