import { boundLimit, type Database } from '@refledger/sqlite';
import { eventColumns, prepareRows, type EventRow } from './event-rows.js';

/**
 * The statements of all scans over one connection. Preparing them takes longer than a short scan.
 */
export const scanStatements = (db: Database) => {
  const byPosition = (inRange: string) => ({
    next: prepareRows<EventRow>(
      db,
      `SELECT ${eventColumns} FROM events WHERE position > ? AND position <= ? ${inRange} ORDER BY position LIMIT ${boundLimit}`,
    ),
    previous: prepareRows<EventRow>(
      db,
      `SELECT ${eventColumns} FROM events WHERE position > ? AND position < ? ${inRange} ORDER BY position DESC LIMIT ${boundLimit}`,
    ),
  });
  const ofKind = 'FROM stream_events WHERE stream_key >= ? AND stream_key < ?';
  return {
    all: byPosition(''),
    inRange: byPosition('AND stream >= ? AND stream < ?'),
    indexedThrough: prepareRows<readonly [number]>(db, 'SELECT through FROM indexed'),
    count: prepareRows<readonly [number]>(
      db,
      `SELECT count(*) FROM (SELECT 1 ${ofKind} LIMIT ${boundLimit})`,
    ),
    following: prepareRows<readonly [number]>(
      db,
      `SELECT position ${ofKind} AND position > ? AND position <= ? ORDER BY position LIMIT ${boundLimit}`,
    ),
    preceding: prepareRows<readonly [number]>(
      db,
      `SELECT position ${ofKind} AND position <= ? ORDER BY position DESC LIMIT ${boundLimit}`,
    ),
    // one statement for many positions, because each run costs more than reading a row
    at: prepareRows<EventRow>(
      db,
      `SELECT ${eventColumns} FROM events WHERE position IN (SELECT value FROM json_each(?)) ORDER BY position`,
    ),
  };
};
export type ScanStatements = ReturnType<typeof scanStatements>;
