import { openDatabase, type Database } from '@refledger/sqlite';
import { readModelsFormat } from './read-store.format.js';

/** 32 MB of the write-ahead log: pages that are written again and again go into the file once. */
const pagesBeforeCheckpoint = 8192;

/** A connection that writes; it makes an empty store when there is none. */
export const openForWriting = (file: string): Database => {
  const db = openDatabase(file, {
    format: readModelsFormat,
    synchronous: 'normal',
    cacheBytes: 32 * 1024 * 1024,
  });
  db.exec(`PRAGMA wal_autocheckpoint = ${pagesBeforeCheckpoint}`);
  return db;
};
