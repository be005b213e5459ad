import type { Database, Statement } from '@refledger/sqlite';
import { LRUCache } from 'lru-cache';

/** Prepares each statement once. */
export type StatementCache = Pick<Database, 'prepare'>;

/**
 * The maximum number of statements kept. Statements of dropped builds would pile up without a
 * limit.
 */
const max = 500;

/** Keeps prepared statements by their text. */
export const statementCache = (db: Database): StatementCache => {
  const prepared = new LRUCache<string, Statement<never>>({
    max,
    memoMethod: (text) => db.prepare<never>(text),
  });
  return { prepare: (text) => prepared.memo(text) };
};
