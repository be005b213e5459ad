import { existsSync } from 'node:fs';
import {
  callsTo,
  openDatabase,
  SqliteError,
  transaction,
  type CallOf,
  type Database,
  type OpenOptions,
} from '@refledger/sqlite';
import { deliveryFile, type DeliveryFile } from './delivery-file.js';
import { deliveryStoreFormat } from './delivery-store.format.js';

/** A call to the store, by the name of a `DeliveryFile` method. */
export type StoreCall = CallOf<DeliveryFile>;
/** The response to one call, given once its change is durable. */
export type CallResult = { readonly value: unknown } | { readonly error: unknown };

/**
 * Holds the store's connection, and executes groups of calls over it. It also works without a
 * thread.
 */
export class GroupWriter {
  private connection: Connection | undefined;
  private wasOpen = false;

  constructor(
    private readonly file: string,
    private readonly open: (file: string, options: OpenOptions) => Database = openDatabase,
  ) {}

  /**
   * Executes all calls in one transaction with one fsync, and returns one answer per call once all
   * are durable. Each call succeeds or fails on its own. When the transaction itself fails, all
   * calls fail, and the next group opens the file again.
   */
  perform(calls: readonly StoreCall[]): readonly CallResult[] {
    try {
      const connection = this.connected();
      return transaction(connection.db, () => calls.map((call) => performOne(connection, call)));
    } catch (error) {
      this.connection?.db.close();
      this.connection = undefined;
      return calls.map(() => ({ error }));
    }
  }

  /** Checkpoints the write-ahead log, so that a stopped store is one file, and closes the file. */
  close(): void {
    try {
      this.connection?.db.exec('PRAGMA wal_checkpoint(TRUNCATE)');
    } finally {
      this.connection?.db.close();
      this.connection = undefined;
    }
  }

  private connected(): Connection {
    // a store that was removed while it was in use must not begin again, empty and unnoticed
    if (this.connection === undefined && this.wasOpen && !existsSync(this.file))
      throw new SqliteError('corrupt', this.file, 'this file was removed while it was in use');
    this.connection ??= connect(
      this.open(this.file, {
        format: deliveryStoreFormat,
        synchronous: 'full',
        cacheBytes: 4 * 1024 * 1024,
      }),
    );
    this.wasOpen = true;
    return this.connection;
  }
}

interface Connection {
  readonly db: Database;
  readonly file: DeliveryFile;
}

const connect = (db: Database): Connection => {
  // 16 MB between checkpoints: a delivery's page changes when it is planned and when it ends, and
  // is then copied into the file only once
  db.exec('PRAGMA wal_autocheckpoint = 4000');
  return { db, file: deliveryFile(db) };
};

const performOne = ({ db, file }: Connection, call: StoreCall): CallResult => {
  db.exec('SAVEPOINT one');
  try {
    return { value: callsTo(file)(call) };
  } catch (error) {
    // some errors, such as a full disk, end the whole transaction
    if (!db.isTransaction) throw error;
    db.exec('ROLLBACK TO one');
    return { error };
  } finally {
    if (db.isTransaction) db.exec('RELEASE one');
  }
};
