import type { Database } from '@refledger/sqlite';
import type { KeyCounts } from '../key-store.js';

/** Keeps the numbers of rows up to date, in the transactions that change the rows. */
export const keyCounts = (db: Database) => {
  const add = db.prepare('UPDATE counts SET n = n + ?2 WHERE kind = ?1');
  const read = db.prepare<{ kind: keyof KeyCounts; n: number }>('SELECT kind, n FROM counts');
  return {
    add: (kind: keyof KeyCounts, n: 1 | -1): void => void add.run(kind, n),
    read: (): KeyCounts => {
      const counts = { keys: 0, erased: 0 };
      for (const { kind, n } of read.all()) counts[kind] = n;
      return counts;
    },
  };
};
