import type { KeyOwner, KeyStore, StoredKey } from '@refledger/key-store';
import { SealedUnreadable, type SecretBox } from '@refledger/sealing';
import type { Work } from '../progress.js';
import { countRows } from './count-rows.js';

/** How many rows ended in which way. */
export type RewrapCounts = Readonly<Record<Outcome, number>>;

/** `current`: the key was wrapped under the first key of SECRETS_KEY before. */
type Outcome = 'rewrapped' | 'current' | 'erased' | 'unreadable';

export interface RewrapOptions extends Work {
  readonly store: Pick<KeyStore, 'scan' | 'getMany' | 'rewrap'>;
  readonly box: Pick<SecretBox, 'rewrap'>;
  /** Called for a key that does not open, which stays as it is. */
  readonly onUnreadable: (owner: KeyOwner, error: SealedUnreadable) => void;
}

/**
 * Wraps every key again under the first key of SECRETS_KEY. Services may put, rewrap and destroy keys
 * meanwhile. After an interruption, the next run skips what this one has done.
 */
export const rewrapKeys = async (options: RewrapOptions): Promise<RewrapCounts> => {
  const { store, progress, signal } = options;
  const counts = { rewrapped: 0, current: 0, erased: 0, unreadable: 0 };
  const total = await countRows(store);
  let done = 0;
  for await (const rows of store.scan()) {
    signal.throwIfAborted();
    const outcomes = await Promise.all(rows.map((row) => rewrapRow(row.owner, row, options)));
    for (const outcome of outcomes) counts[outcome]++;
    progress.update((done += rows.length), total);
  }
  return counts;
};

const rewrapRow = async (
  owner: KeyOwner,
  found: StoredKey,
  { store, box, onUnreadable }: RewrapOptions,
): Promise<Outcome> => {
  let stored: StoredKey | undefined = found;
  while (stored?.kind === 'key') {
    const { key } = stored;
    try {
      const again = box.rewrap(key, owner);
      if (again === undefined) return 'current';
      if (await store.rewrap(owner, key, again)) return 'rewrapped';
    } catch (error) {
      if (!(error instanceof SealedUnreadable)) throw error;
      onUnreadable(owner, error);
      return 'unreadable';
    }
    // the row was erased or rewrapped meanwhile
    stored = (await store.getMany([owner])).get(owner);
  }
  return 'erased';
};
