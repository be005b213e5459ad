import { canonicalPath, openDatabase } from '@refledger/sqlite';
import type { KeyReader } from '../key-store.js';
import { scanPages } from '../scan-pages.js';
import { factsOf } from './facts.js';
import { keyCounts } from './key-counts.js';
import { keyRows } from './key-rows.js';
import { keyStoreFormat } from './key-store.format.js';
import { errorOf, failureOf } from './store-failure.js';
import { unchangedKeys } from './unchanged-keys.js';

/**
 * Opens an existing key file to read it, on a connection of the calling thread: reading a page of
 * keys takes less time than asking another thread. Throws a `KeyStoreError` that names the file.
 */
export const openSqliteKeyReader = (file: string): Promise<KeyReader> => {
  const path = canonicalPath(file);
  const attempted = <T>(work: () => T): Promise<T> =>
    Promise.resolve()
      .then(work)
      .catch((error: unknown) => {
        throw errorOf(failureOf(error, path));
      });
  return attempted(() => {
    const db = openDatabase(path, { format: keyStoreFormat, readOnly: true, synchronous: 'full' });
    try {
      const facts = factsOf(db);
      const { getMany, rows, claimedRows } = keyRows(db);
      const getUnchanged = unchangedKeys(db, getMany);
      const counts = keyCounts(db);
      return {
        id: facts.id(),
        getMany: (owners) => attempted(() => getUnchanged(owners)),
        scan: (start) => scanPages((after, limit) => attempted(() => rows(after, limit)), start),
        scanClaimed: (putBefore) =>
          scanPages((after, limit) => attempted(() => claimedRows(putBefore, after, limit))),
        counts: () => attempted(() => counts.read()),
        checkpoint: () => attempted(() => facts.checkpoint()),
        close: () =>
          attempted(() => {
            if (db.isOpen) db.close();
          }),
      };
    } catch (error) {
      db.close();
      throw error;
    }
  });
};
