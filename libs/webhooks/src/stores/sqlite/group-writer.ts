import { openDatabase, transaction, type Database, type OpenOptions } from '@refledger/sqlite';
import { deliveryFile, type DeliveryFile } from './delivery-file.js';
import { deliveryStoreFormat } from './delivery-store.format.js';
import { failureOf, type StoreAnswer, type StoreCall } from './store-calls.js';

/**
 * Holds the store's connection, and executes groups of calls over it. It also works without a
 * thread.
 */
export class GroupWriter {
  private connection: Connection | undefined;

  constructor(
    private readonly file: string,
    private readonly open: (file: string, options: OpenOptions) => Database = openDatabase,
  ) {}

  /** Opens the file, and returns the store's id. Throws `SqliteError`. */
  id(): string {
    const { db, file } = this.connected();
    return transaction(db, () => file.id());
  }

  /**
   * Executes all calls in one transaction with one fsync, and returns one answer per call once all
   * are durable. Each call succeeds or fails on its own. When the transaction itself fails, all
   * calls fail, and the next group opens the file again.
   */
  perform(calls: readonly StoreCall[]): readonly StoreAnswer[] {
    try {
      const connection = this.connected();
      return transaction(connection.db, () => calls.map((call) => performOne(connection, call)));
    } catch (error) {
      this.connection?.db.close();
      this.connection = undefined;
      const failure = failureOf(error, this.file);
      return calls.map(() => ({ failure }));
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
    return (this.connection ??= connect(
      this.open(this.file, {
        format: deliveryStoreFormat,
        synchronous: 'full',
        cacheBytes: 4 * 1024 * 1024,
      }),
    ));
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

const performOne = ({ db, file }: Connection, call: StoreCall): StoreAnswer => {
  db.exec('SAVEPOINT one');
  try {
    return { value: invoke(file, call) };
  } catch (error) {
    // some errors, such as a full disk, end the whole transaction
    if (!db.isTransaction) throw error;
    db.exec('ROLLBACK TO one');
    return { failure: failureOf(error, db.file) };
  } finally {
    if (db.isTransaction) db.exec('RELEASE one');
  }
};

/**
 * Calls a method with its arguments. They match by the type of `StoreCall`, but the compiler can't
 * follow that through a variable method name.
 */
const invoke = (file: DeliveryFile, { method, args }: StoreCall): unknown =>
  (file[method] as (...given: typeof args) => unknown)(...args);
