import { streams, type LogId, type StreamName } from '@refledger/contracts';
import type { Database } from '@refledger/sqlite';
import { unavailable } from '../event-log-error.js';
import { logIdOf } from '../opening.js';
import {
  eventColumns,
  prepareRows,
  readBatch,
  type EventRow,
  type EventRows,
} from './event-rows.js';
import { scanLog } from './log-scan.js';
import type { LogScan } from './position-scan.js';
import { scanStatements, type ScanStatements } from './scan-statements.js';
import type { StreamChanges } from './stream-changes.js';
import { StreamIndex } from './stream-index.js';

/** Reads a log over one connection. Every method is synchronous and leaves no read open. */
export class LogReader {
  private readonly first;
  private readonly last;
  private readonly one;
  private readonly index: StreamIndex;
  private readonly scans: ScanStatements;
  /** The version of the log up to which the index has been read. */
  private indexed: bigint | undefined;

  /**
   * While nothing has changed, `changes` lets each read of a stream start without catching up with
   * the log first.
   */
  constructor(
    private readonly db: Database,
    private readonly changes?: Pick<StreamChanges, 'ofAll'>,
  ) {
    this.first = prepareRows<readonly [string]>(
      db,
      'SELECT data FROM events WHERE position = 1 AND stream = ?',
    );
    this.last = prepareRows<readonly [number | null]>(db, 'SELECT max(position) FROM events');
    this.one = prepareRows<EventRow>(db, `SELECT ${eventColumns} FROM events WHERE position = ?`);
    this.index = new StreamIndex(db);
    this.scans = scanStatements(db);
  }

  /** The id in `log.opened`. Throws `unavailable` when the log is still empty. */
  logId(): LogId {
    const row = this.first.get(streams.log);
    if (row === undefined && this.head() === 0)
      throw unavailable(`${this.db.file}: there is no event log here yet (the file is empty)`);
    return logIdOf({ type: 'log.opened', data: row && parsed(row[0]) }, this.db.file);
  }

  /** The last position; 0 when there is none. */
  head(): number {
    return this.last.get()?.[0] ?? 0;
  }

  /** The last revision of a stream; -1 when there is no such stream. */
  lastRevision(stream: StreamName): number {
    this.catchUp();
    return this.index.lastRevision(stream);
  }

  rowAt(position: number): EventRow | undefined {
    return this.one.get(position);
  }

  /** Up to `limit` events of a stream, from one revision to another (both included). */
  ofStream(stream: StreamName, from: number, to: number, limit: number): EventRows {
    this.catchUp();
    return readBatch(limit, (last, count) =>
      this.index.events(stream, last === undefined ? from : last[2] + 1, to, count),
    );
  }

  scan(prefix: string): LogScan {
    return scanLog(this.scans, prefix);
  }

  private catchUp(): void {
    // ask before reading: a change during the read changes the version
    const version = this.changes?.ofAll();
    if (version !== undefined && version === this.indexed) return;
    this.index.catchUp();
    this.indexed = version;
  }
}

const parsed = (data: string): unknown => {
  try {
    return JSON.parse(data);
  } catch {
    return undefined;
  }
};
