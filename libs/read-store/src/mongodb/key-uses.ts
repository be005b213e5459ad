import type { Collection } from 'mongodb';
import type { KeyId } from '@refledger/contracts';
import { duplicateKey, ignoring } from '@refledger/mongodb';
import type { KeyUses } from '../read-store.js';

/** The last use of an API key; `_id` is the key's id. */
export interface KeyUseEntry {
  readonly _id: KeyId;
  readonly used_at: string;
}

/** Raises the times of uses. */
export const recordKeyUses = async (
  entries: Collection<KeyUseEntry>,
  uses: KeyUses,
): Promise<void> => {
  const updates = [...uses].map(([_id, used_at]) => ({
    updateOne: { filter: { _id }, update: { $max: { used_at } }, upsert: true },
  }));
  if (updates.length === 0) return;
  for (;;) {
    const written = await entries
      .bulkWrite(updates, { ordered: false })
      // Another process created an entry at the same time, so it exists now.
      .catch(ignoring(duplicateKey));
    if (written !== undefined) return;
  }
};

/** The recorded uses of these keys. */
export const keyUses = async (
  entries: Collection<KeyUseEntry>,
  ids: readonly KeyId[],
): Promise<KeyUses> => {
  const found = await entries.find({ _id: { $in: [...ids] } }).toArray();
  return new Map(found.map(({ _id, used_at }) => [_id, used_at]));
};
