import type { StreamName } from '@refledger/contracts';
import {
  openDatabase,
  transaction,
  tryTransaction,
  type Database,
  type OpenOptions,
  type Statement,
} from '@refledger/sqlite';
import type { EncodedAppend } from '../encode-append.js';
import type { AppendResponse } from './append.protocol.js';
import { eventLogFormat } from './event-log.format.js';
import type { StreamChanges } from './stream-changes.js';
import { StreamIndex } from './stream-index.js';
import { TailMerge } from './tail-merge.js';

/**
 * The one connection that writes to a log. It checks an append's expectation in the transaction
 * that writes it, so its answers are right in any thread and even if others write to the file.
 */
export class Writer {
  private connection: Connection | undefined;

  /** Opens the file, and appends `opening` to an empty log. Throws `SqliteError`. */
  constructor(
    private readonly file: string,
    opening: EncodedAppend,
    private readonly changes: StreamChanges,
    private readonly open: (file: string, options: OpenOptions) => Database = openDatabase,
  ) {
    const connection = this.connected();
    transaction(connection.db, () => {
      connection.index.catchUp();
      if (connection.index.lastPosition === 0) append(connection, opening);
    });
  }

  /**
   * Commits appends in one transaction with one fsync, and returns one answer per append: each
   * succeeds or conflicts on its own, and all are durable before any is answered. Throws a
   * `SqliteError` when the transaction failed; the next call then opens the file again.
   */
  commit(appends: readonly EncodedAppend[]): AppendResponse[] {
    const connection = this.connected();
    try {
      return this.changes.whileChanging(changedBy(appends), () =>
        transaction(connection.db, () => appendAll(connection, appends)),
      );
    } catch (error) {
      this.connection = undefined;
      connection.db.close();
      throw error;
    }
  }

  /**
   * Throws a `SqliteError` if the file cannot be locked for writing now. Does not wait for the
   * lock, because appends would wait behind it.
   */
  probe(): void {
    const { db } = this.connected();
    tryTransaction(db, () => undefined);
  }

  /**
   * Completes the index, checkpoints the write-ahead log into the file, so that a stopped log is
   * one file, and closes it.
   */
  close(): void {
    try {
      if (this.connection !== undefined) complete(this.connection);
      this.connection?.db.exec('PRAGMA wal_checkpoint(TRUNCATE)');
    } finally {
      this.connection?.db.close();
      this.connection = undefined;
    }
  }

  private connected(): Connection {
    // opening recovers the write-ahead log, which may reveal a transaction whose outcome was
    // unknown
    return (this.connection ??= this.changes.whileChangingAny(() =>
      connect(
        this.open(this.file, {
          format: eventLogFormat,
          synchronous: 'full',
          cacheBytes: 32 * 1024 * 1024,
        }),
      ),
    ));
  }
}

interface Connection {
  readonly db: Database;
  readonly index: StreamIndex;
  readonly merge: TailMerge;
  readonly insert: Statement;
}

const connect = (db: Database): Connection => {
  // 16 MB between checkpoints: a checkpoint writes each page once, however often it changed
  db.exec('PRAGMA wal_autocheckpoint = 4000');
  const index = new StreamIndex(db);
  return {
    db,
    index,
    merge: new TailMerge(db, index),
    insert: db.prepare(
      'INSERT INTO events (stream, revision, id, type, data, metadata) VALUES (?, ?, ?, ?, ?, ?)',
    ),
  };
};

/**
 * The streams whose versions change. A new stream is not among them, because no cache holds a
 * stream that did not exist.
 */
const changedBy = (appends: readonly EncodedAppend[]): StreamName[] =>
  appends.flatMap(({ stream, expected }) => (expected === 'no stream' ? [] : [stream]));

const appendAll = (connection: Connection, appends: readonly EncodedAppend[]): AppendResponse[] => {
  // within the transaction, so that the index covers all events, even those of another writer
  connection.index.catchUp();
  const responses = appends.map((each) => append(connection, each));
  connection.merge.step(Math.max(512, 2 * appends.length));
  return responses;
};

const append = (
  { index, insert }: Connection,
  { stream, expected, events }: EncodedAppend,
): AppendResponse => {
  const before = expected === 'no stream' ? -1 : expected;
  const actual = index.lastRevision(stream);
  if (actual !== before)
    return (
      repeated(index, { stream, before, events }) ?? {
        kind: 'wrong_revision',
        actual: actual === -1 ? 'no stream' : actual,
      }
    );
  let revision = before;
  for (const { id, type, data, metadata } of events) {
    revision += 1;
    index.add(
      Number(insert.run(stream, revision, id, type, data, metadata).lastInsertRowid),
      stream,
      revision,
    );
  }
  return { kind: 'appended', revision, position: index.lastPosition };
};

/**
 * Returns the first answer again when exactly these events are where they would have been written.
 */
const repeated = (
  index: StreamIndex,
  {
    stream,
    before,
    events,
  }: Pick<EncodedAppend, 'stream' | 'events'> & { readonly before: number },
): AppendResponse | undefined => {
  const there = index.events(stream, before + 1, before + events.length, events.length);
  const last = there.at(-1);
  if (
    last === undefined ||
    there.length < events.length ||
    there.some(([, , , id], n) => id !== events[n]?.id)
  )
    return undefined;
  return { kind: 'appended', revision: before + events.length, position: last[0] };
};

const complete = ({ db, index, merge }: Connection): void =>
  transaction(db, () => {
    index.catchUp();
    merge.finish();
  });
