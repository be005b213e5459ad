import { streamPrefix } from '@refledger/contracts';
import { boundLimit, type Database } from '@refledger/sqlite';
import { eventColumns, prepareRows, readBatch, type EventRow } from './event-rows.js';
import { PrefixScan, type PrefixScanSizes } from './prefix-scan.js';
import { stepBackOf, stepOf, type LogScan, type ScanStep } from './scan-step.js';

/** Scans the streams whose names begin with `prefix`. */
export const scanLog = (
  db: Database,
  prefix: string,
  sizes: PrefixScanSizes = { page: 65_536 },
): LogScan => (prefix === streamPrefix ? new WholeLogScan(db) : new PrefixScan(db, prefix, sizes));

class WholeLogScan implements LogScan {
  private readonly select;
  private readonly selectBack;

  constructor(db: Database) {
    this.select = prepareRows(
      db,
      `SELECT ${eventColumns} FROM events WHERE position > ? AND position <= ? ORDER BY position LIMIT ${boundLimit}`,
    );
    this.selectBack = prepareRows(
      db,
      `SELECT ${eventColumns} FROM events WHERE position < ? ORDER BY position DESC LIMIT ${boundLimit}`,
    );
  }

  previous(end: number, batchSize: number): ScanStep {
    return stepBackOf(
      readBatch(
        batchSize,
        (last, count) => this.selectBack.all(last?.[0] ?? end + 1, count) as EventRow[],
      ),
      0,
    );
  }

  next(after: number, end: number, batchSize: number): ScanStep {
    const batch = readBatch(
      batchSize,
      (last, count) => this.select.all(last?.[0] ?? after, end, count) as EventRow[],
    );
    return stepOf(batch, end);
  }
}
