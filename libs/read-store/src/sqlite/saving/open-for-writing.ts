import { openDatabase, type Database } from '@refledger/sqlite';
import { readModelsFormat } from '../read-store.format.js';

/**
 * 32 MB of the write-ahead log: a page that changes repeatedly is copied into the file only once.
 */
const pagesBeforeCheckpoint = 8192;

/** Opens a connection that writes. Creates an empty store if there is none. */
export const openForWriting = (file: string): Database => {
  const db = openDatabase(file, {
    format: readModelsFormat,
    synchronous: 'normal',
    cacheBytes: 32 * 1024 * 1024,
  });
  db.exec(`PRAGMA wal_autocheckpoint = ${pagesBeforeCheckpoint}`);
  return db;
};
