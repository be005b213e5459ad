import type { DatabaseFormat } from '@refledger/sqlite';

/**
 * The tables of the double: the records in the order of the log, and the state of the doubles that
 * share the file. That state is the members, the leader ('' for none), those that are to be
 * suspended, and those that believe they lead a log that ends earlier.
 */
export const doubleFormat: DatabaseFormat = {
  name: 'double of EventStoreDB',
  applicationId: 0x524c_4453, // 'RLDS'
  migrations: [
    `CREATE TABLE records (
       position     INTEGER PRIMARY KEY,
       stream       TEXT    NOT NULL,
       revision     INTEGER NOT NULL,
       id           TEXT    NOT NULL,
       type         TEXT    NOT NULL,
       content_type TEXT    NOT NULL,
       data         BLOB    NOT NULL,
       metadata     BLOB    NOT NULL,
       created      INTEGER NOT NULL
     ) STRICT;
     CREATE UNIQUE INDEX by_stream ON records (stream, revision);
     CREATE TABLE leader (address TEXT NOT NULL) STRICT;
     CREATE TABLE members (address TEXT PRIMARY KEY) STRICT;
     CREATE TABLE held (address TEXT PRIMARY KEY, since INTEGER) STRICT;
     CREATE TABLE behind (address TEXT PRIMARY KEY, position INTEGER NOT NULL) STRICT`,
  ],
};
