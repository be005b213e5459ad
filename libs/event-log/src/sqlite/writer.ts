import type { StreamName } from '@refledger/contracts';
import { openDatabase, transaction, type Database, type OpenOptions, type Statement } from '@refledger/sqlite';
import type { EncodedAppend } from '../encode-append.js';
import type { AppendAnswer } from './append.protocol.js';
import { eventLogFormat } from './event-log.format.js';
import type { StreamChanges } from './stream-changes.js';

/**
 * The one connection that writes a log. Needs no thread and no other writer to be right: what an append expects is checked in the
 * transaction that writes it.
 */
export class Writer {
  private connection: Connection | undefined;

  /** Opens the file, and makes `opening` the first event of a log that is empty. Throws `SqliteError`. */
  constructor(
    private readonly file: string,
    opening: EncodedAppend,
    private readonly changes: StreamChanges,
    private readonly open: (file: string, options: OpenOptions) => Database = openDatabase,
  ) {
    const connection = this.connected();
    transaction(connection.db, () => {
      if (connection.isEmpty.get() === undefined) append(connection, opening);
    });
  }

  /**
   * One transaction, one fsync, an answer for each append: each succeeds or conflicts alone, and no answer is given before all are durable.
   * Throws a `SqliteError` when the transaction failed; the next call then opens the file again.
   */
  commit(appends: readonly EncodedAppend[]): AppendAnswer[] {
    const connection = this.connected();
    try {
      return this.changes.during(changedBy(appends), () => transaction(connection.db, () => appends.map((each) => append(connection, each))));
    } catch (error) {
      this.connection = undefined;
      connection.db.close();
      throw error;
    }
  }

  /** Folds the write-ahead log into the file, so that a stopped log is one file, and closes it. */
  close(): void {
    try {
      this.connection?.db.exec('PRAGMA wal_checkpoint(TRUNCATE)');
    } finally {
      this.connection?.db.close();
      this.connection = undefined;
    }
  }

  private connected(): Connection {
    // opening recovers the write-ahead log, and so may bring to light a transaction whose outcome was unknown
    return (this.connection ??= this.changes.afresh(() => connect(this.open(this.file, { format: eventLogFormat, synchronous: 'full', cacheBytes: 32 * 1024 * 1024 }))));
  }
}

interface Connection {
  readonly db: Database;
  readonly isEmpty: Statement;
  readonly lastOf: Statement;
  readonly after: Statement;
  readonly insert: Statement;
}

const connect = (db: Database): Connection => {
  // 16 MB between checkpoints: streams are spread over the index, and a checkpoint writes each of its pages once however often it changed.
  db.exec('PRAGMA wal_autocheckpoint = 4000');
  return {
    db,
    isEmpty: db.prepare('SELECT 1 FROM events LIMIT 1'),
    lastOf: db.prepare('SELECT revision FROM events WHERE stream = ? ORDER BY revision DESC LIMIT 1'),
    after: db.prepare('SELECT id, position FROM events WHERE stream = ? AND revision > ? ORDER BY revision LIMIT ?'),
    insert: db.prepare('INSERT INTO events (stream, revision, id, type, data, metadata) VALUES (?, ?, ?, ?, ?, ?)'),
  };
};

/** A stream that begins is no change: nobody remembers a stream that wasn't there. */
const changedBy = (appends: readonly EncodedAppend[]): StreamName[] => appends.flatMap(({ stream, expected }) => (expected === 'no stream' ? [] : [stream]));

const append = (connection: Connection, { stream, expected, events }: EncodedAppend): AppendAnswer => {
  const before = expected === 'no stream' ? -1 : expected;
  const last = connection.lastOf.get(stream) as { readonly revision: number } | undefined;
  const actual = last === undefined ? -1 : last.revision;
  if (actual !== before) return repeated(connection, { stream, before, events }) ?? { kind: 'wrong_revision', actual: last === undefined ? 'no stream' : actual };
  let revision = before;
  let position = 0;
  for (const { id, type, data, metadata } of events) {
    revision += 1;
    position = Number(connection.insert.run(stream, revision, id, type, data, metadata).lastInsertRowid);
  }
  return { kind: 'appended', revision, position };
};

/** The first answer again when exactly these events stand where they would have been put. */
const repeated = (connection: Connection, { stream, before, events }: Pick<EncodedAppend, 'stream' | 'events'> & { readonly before: number }): AppendAnswer | undefined => {
  const there = connection.after.all(stream, before, events.length) as readonly { readonly id: string; readonly position: number }[];
  const last = there.at(-1);
  if (last === undefined || there.length < events.length || there.some(({ id }, index) => id !== events[index]?.id)) return undefined;
  return { kind: 'appended', revision: before + events.length, position: last.position };
};
