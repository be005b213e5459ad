import type { DatabaseFormat } from '@refledger/sqlite';

/**
 * One table in the order of the log: positions are row ids, never given twice since nothing is ever deleted. The index is the rule that
 * a stream has one event at a revision, and the way to a stream's events; it ends in the position, so that positions of streams
 * by prefix are read from it alone.
 */
export const eventLogFormat: DatabaseFormat = {
  name: 'event log',
  applicationId: 0x524c_4556, // 'RLEV'
  migrations: [
    `CREATE TABLE events (
       position INTEGER PRIMARY KEY,
       stream   TEXT    NOT NULL,
       revision INTEGER NOT NULL,
       id       TEXT    NOT NULL,
       type     TEXT    NOT NULL,
       data     TEXT    NOT NULL,
       metadata TEXT    NOT NULL
     ) STRICT;
     CREATE UNIQUE INDEX events_by_stream ON events (stream, revision)`,
  ],
};
