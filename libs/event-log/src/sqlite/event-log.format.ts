import type { DatabaseFormat } from '@refledger/sqlite';

/**
 * `events` holds the events in log order. Positions are row ids, which are never reused because
 * nothing is ever deleted. The transaction that writes an event ensures that its stream has only
 * one event at that revision (`writer.ts`).
 *
 * `stream_events` is the index of each stream's events (`stream-index.ts`). It lags behind: it
 * contains all events up to `indexed.through`, and perhaps a few later ones.
 */
export const eventLogFormat: DatabaseFormat = {
  name: 'event log',
  applicationId: 0x524c_4533, // 'RLE3'
  earlierApplicationIds: [0x524c_4556, 0x524c_4532],
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
     CREATE TABLE stream_events (
       stream_key INTEGER NOT NULL,
       revision   INTEGER NOT NULL,
       position   INTEGER NOT NULL,
       PRIMARY KEY (stream_key, revision, position)
     ) STRICT, WITHOUT ROWID;
     CREATE TABLE indexed (through INTEGER NOT NULL) STRICT;
     INSERT INTO indexed VALUES (0)`,
  ],
};
