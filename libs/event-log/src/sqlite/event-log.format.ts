import type { DatabaseFormat } from '@refledger/sqlite';

/**
 * The events in the order of the log: positions are row ids, never given twice since nothing is ever deleted. That a stream has one event at a
 * revision is ensured in the transaction that writes it (`writer.ts`).
 *
 * `places` is the way to a stream's events (`stream-index.ts`). It follows behind: all events up to `placed.through` are in it, a few later ones may be.
 */
export const eventLogFormat: DatabaseFormat = {
  name: 'event log',
  applicationId: 0x524c_4532, // 'RLE2'
  earlierApplicationIds: [0x524c_4556],
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
