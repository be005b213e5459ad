import type { Database } from '@refledger/sqlite';

/**
 * Makes an index of a large table. SQLite sorts as much at once as its cache may hold: what a processor's cache holds too is sorted soonest, and by two
 * threads. Callers bring the transaction.
 */
export const makeLargeIndex = (db: Database, sql: string): void => {
  const { cache_size: usual } = db.prepare('PRAGMA cache_size').get() as {
    readonly cache_size: number;
  };
  db.exec('PRAGMA cache_size = -2048; PRAGMA threads = 2');
  try {
    db.exec(sql);
  } finally {
    db.exec(`PRAGMA cache_size = ${usual}; PRAGMA threads = 0`);
  }
};
