import { openDatabase, transaction, type Database, type OpenOptions } from '@refledger/sqlite';
import { deliveryFile, type DeliveryFile } from './delivery-file.js';
import { deliveryStoreFormat } from './delivery-store.format.js';
import { failureOf, type StoreAnswer, type StoreCall } from './store-calls.js';

/** The store's connection, and groups of calls over it. Needs no thread to be right. */
export class GroupWriter {
  private connection: Connection | undefined;

  constructor(
    private readonly file: string,
    private readonly open: (file: string, options: OpenOptions) => Database = openDatabase,
  ) {}

  /** Opens the file, and answers the id that the store was made with. Throws `SqliteError`. */
  id(): string {
    const { db, file } = this.connected();
    return transaction(db, () => file.id());
  }

  /**
   * One transaction and one fsync for all, an answer for each: a call succeeds or fails alone, and none is answered before all are durable.
   * When the transaction itself fails, all fail, and the next group opens the file again.
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

  /** Folds the write-ahead log into the file, so that a stopped store is one file, and closes it. */
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
  // 16 MB between checkpoints: a delivery's page is written when it is planned and when it ends, and goes into the file once
  db.exec('PRAGMA wal_autocheckpoint = 4000');
  return { db, file: deliveryFile(db) };
};

const performOne = ({ db, file }: Connection, call: StoreCall): StoreAnswer => {
  db.exec('SAVEPOINT one');
  try {
    return { value: invoke(file, call) };
  } catch (error) {
    // some errors (a full disk) end the whole transaction
    if (!db.isTransaction) throw error;
    db.exec('ROLLBACK TO one');
    return { failure: failureOf(error, db.file) };
  } finally {
    if (db.isTransaction) db.exec('RELEASE one');
  }
};

/** A method with arguments of its own: the pairs of `StoreCall`, which the compiler can't follow through a variable name. */
const invoke = (file: DeliveryFile, { method, args }: StoreCall): unknown =>
  (file[method] as (...given: typeof args) => unknown)(...args);
