import type { Database } from '@refledger/sqlite';
import type { KeyOwner, StoredKey } from '../key-store.js';

type GetMany = (owners: readonly KeyOwner[]) => ReadonlyMap<KeyOwner, StoredKey>;

/**
 * Reads only owners that were not read since another connection last changed the file. What is kept
 * is wrapped, as in the file: some 300 bytes for each owner.
 */
export const unchangedKeys = (db: Database, getMany: GetMany, maxKept = 10_000): GetMany => {
  const dataVersion = db.prepare<{ data_version: number }>('PRAGMA data_version');
  const kept = new Map<KeyOwner, StoredKey>();
  let version: number | undefined;

  return (owners) => {
    const now = dataVersion.get()?.data_version;
    if (now !== version || kept.size > maxKept) kept.clear();
    version = now;
    const missing = owners.filter((owner) => !kept.has(owner));
    if (missing.length > 0) for (const [owner, stored] of getMany(missing)) kept.set(owner, stored);
    const found = new Map<KeyOwner, StoredKey>();
    for (const owner of owners) {
      const stored = kept.get(owner);
      if (stored !== undefined) found.set(owner, stored);
    }
    return found;
  };
};
