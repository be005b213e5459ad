import { existsSync } from 'node:fs';
import type { Database } from './connection.js';
import { SqliteError } from './sqlite-error.js';
import { callsTo, type CallOf, type Methods } from './thread-calls.js';
import { transaction, withoutWaiting } from './transaction.js';

/** The response to one call, given once its change is durable. */
export type CallResult = { readonly value: unknown } | { readonly error: unknown };

/** An open file, and the calls over it, which run within the writer's transaction. */
export interface WriterConnection<M extends Methods<M>> {
  readonly db: Database;
  readonly methods: M;
}

/**
 * Holds the writing connection of a store, and executes groups of calls over it. It also works
 * without a thread.
 */
export class GroupWriter<M extends Methods<M>> {
  private connection: WriterConnection<M> | undefined;
  private wasOpen = false;

  constructor(
    private readonly file: string,
    private readonly connect: (file: string) => WriterConnection<M>,
  ) {}

  /**
   * Executes all calls in one transaction with one fsync, and returns one answer per call once all
   * are durable. Each call succeeds or fails on its own. When the transaction itself fails, all
   * calls fail, and the next group opens the file again.
   */
  perform(calls: readonly CallOf<M>[]): readonly CallResult[] {
    try {
      const connection = this.connected();
      return transaction(connection.db, () => calls.map((call) => performOne(connection, call)));
    } catch (error) {
      this.connection?.db.close();
      this.connection = undefined;
      return calls.map(() => ({ error }));
    }
  }

  /**
   * Copies the write-ahead log into the file, and truncates it. Throws a `busy` error, without
   * waiting, while another connection reads from it.
   */
  truncateLog(): void {
    const { db } = this.connected();
    const result = withoutWaiting(db, () => db.prepare<{ busy: number }>(truncation).get());
    if (result?.busy !== 0)
      throw new SqliteError('busy', this.file, 'another connection uses the write-ahead log');
  }

  /** Checkpoints the write-ahead log, so that a stopped store is one file, and closes the file. */
  close(): void {
    try {
      this.connection?.db.exec(truncation);
    } finally {
      this.connection?.db.close();
      this.connection = undefined;
    }
  }

  private connected(): WriterConnection<M> {
    // a store that was removed while it was in use must not begin again, empty and unnoticed
    if (this.connection === undefined && this.wasOpen && !existsSync(this.file))
      throw new SqliteError('corrupt', this.file, 'this file was removed while it was in use');
    this.connection ??= this.connect(this.file);
    this.wasOpen = true;
    return this.connection;
  }
}

const truncation = 'PRAGMA wal_checkpoint(TRUNCATE)';

const performOne = <M extends Methods<M>>(
  { db, methods }: WriterConnection<M>,
  call: CallOf<M>,
): CallResult => {
  db.exec('SAVEPOINT one');
  try {
    return { value: callsTo(methods)(call) };
  } catch (error) {
    // some errors, such as a full disk, end the whole transaction
    if (!db.isTransaction) throw error;
    db.exec('ROLLBACK TO one');
    return { error };
  } finally {
    if (db.isTransaction) db.exec('RELEASE one');
  }
};
