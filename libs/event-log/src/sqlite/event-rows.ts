import type { EventMetadata, Position, StreamName } from '@refledger/contracts';
import type { Database, Statement } from '@refledger/sqlite';
import { unusable } from '../event-log-error.js';
import type { LoggedEvent } from '../event-log.js';

/**
 * The columns of an event in the order of `EventRow`. Reading rows as arrays is 1.5 times as fast
 * as reading objects.
 */
export const eventColumns = 'position, stream, revision, id, type, data, metadata';
export type EventRow = readonly [
  position: number,
  stream: StreamName,
  revision: number,
  id: string,
  type: string,
  data: string,
  metadata: string,
];

/** Prepares a statement that returns rows as arrays. */
export const prepareRows = <Row extends readonly unknown[]>(
  db: Database,
  sql: string,
): Statement<Row> => {
  const statement = db.prepare<Row>(sql);
  statement.setReturnArrays(true);
  return statement;
};

/** Rows that were read together, and whether they are the last ones. */
export interface EventRows {
  readonly rows: readonly EventRow[];
  readonly isLast: boolean;
}

/** Maximum text of one batch, in characters. It bounds memory, however large the events are. */
const maxBatchLength = 4 * 1024 * 1024;
const chunkRows = 50;

/**
 * Reads up to `limit` rows, fewer when they are large. `read` returns up to the given number of
 * rows after the given one. No read stays open between batches: it would keep the write-ahead log
 * from being checkpointed.
 */
export const readBatch = (
  limit: number,
  read: (after: EventRow | undefined, rows: number) => readonly EventRow[],
): EventRows => {
  const rows: EventRow[] = [];
  let length = 0;
  while (rows.length < limit && length < maxBatchLength) {
    const asked = Math.min(chunkRows, limit - rows.length);
    const chunk = read(rows.at(-1), asked);
    for (const row of chunk) {
      rows.push(row);
      length += row[5].length + row[6].length;
    }
    if (chunk.length < asked) return { rows, isLast: true };
  }
  return { rows, isLast: false };
};

/** Throws an `EventLogError` when the row does not hold JSON: the file is damaged. */
export const toLoggedEvent = (row: EventRow, file: string): LoggedEvent => {
  const [position, stream, revision, id, type, data, metadata] = row;
  try {
    const json: unknown = JSON.parse(data);
    return {
      stream,
      revision,
      position: toLogPosition(position),
      id,
      type,
      data: json,
      metadata: JSON.parse(metadata) as EventMetadata,
    };
  } catch (error) {
    throw unusable(`${file}: the event at position ${position} is corrupt`, { cause: error });
  }
};

export const toLogPosition = (position: number): Position => String(position) as Position;
