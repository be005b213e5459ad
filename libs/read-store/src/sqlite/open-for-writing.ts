import { openDatabase, transaction, type Database } from '@refledger/sqlite';
import { readModelsFormat } from './read-store.format.js';

/** 32 MB of the write-ahead log: pages that are written again and again go into the file once. */
const pagesBeforeCheckpoint = 8192;

const cacheKiB = 32 * 1024;

/** A connection that writes; it makes an empty store when there is none. */
export const openForWriting = (file: string): Database => {
  const db = openDatabase(file, { format: readModelsFormat, synchronous: 'normal', cacheBytes: cacheKiB * 1024 });
  db.exec(`PRAGMA wal_autocheckpoint = ${pagesBeforeCheckpoint}`);
  return db;
};

/** Makes an index of a large table, over such a connection. SQLite sorts as much at once as its cache may hold: what a processor's cache holds too is sorted soonest, and by two threads. */
export const makeLargeIndex = (db: Database, sql: string): void => {
  db.exec('PRAGMA cache_size = -2048; PRAGMA threads = 2');
  try {
    transaction(db, () => db.exec(sql));
  } finally {
    db.exec(`PRAGMA cache_size = -${cacheKiB}; PRAGMA threads = 0`);
  }
};
