import type { Checkpoint } from '@refledger/contracts';
import type { Database } from '@refledger/sqlite';
import type { KeyOwner, KeyStore, NewKey, StoredKey } from '../key-store.js';
import { factsOf } from './facts.js';
import { keyCounts } from './key-counts.js';
import { keyRows } from './key-rows.js';

/** The calls that write, as the thread that has the file performs them. */
export interface KeyFile {
  /** The id of the store, which is created with `newId` if there is none. */
  id(newId: string | undefined): string;
  put(owner: KeyOwner, key: NewKey): StoredKey;
  destroy(...args: Parameters<KeyStore['destroy']>): void;
  rewrap(owner: KeyOwner, from: string, to: string): boolean;
  forgetClaims(owner: KeyOwner, claims: readonly string[], putAt: string): void;
  saveCheckpoint(checkpoint: Checkpoint): void;
}

/** The calls over one connection. They run within the caller's transaction. */
export const keyFile = (db: Database): KeyFile => {
  const facts = factsOf(db);
  const { getMany } = keyRows(db);
  const keys = wrappedKeys(db);
  const claims = claimsOf(db);
  const counts = keyCounts(db);
  const insert = db.prepare(
    'INSERT INTO owners (owner, account_id, key_seq, put_at) VALUES (?, ?, ?, ?)',
  );
  const raisePutAt = db.prepare('UPDATE owners SET put_at = ?2 WHERE owner = ?1 AND put_at < ?2');
  const erase = db.prepare(
    `INSERT OR REPLACE INTO owners (owner, account_id, event_id, position, erased_at)
     VALUES (?, ?, ?, ?, ?)`,
  );

  return {
    id: (newId) => (newId === undefined ? facts.id() : facts.createId(newId)),
    saveCheckpoint: (checkpoint) => facts.saveCheckpoint(checkpoint),

    put(owner, { accountId, key, claim, at }) {
      const found = getMany([owner]).get(owner);
      if (found?.kind === 'erased') return found;
      if (found === undefined) {
        insert.run(owner, accountId, keys.append(key), at);
        counts.add('keys', 1);
      } else raisePutAt.run(owner, at);
      if (claim !== null) claims.add(owner, claim);
      return found ?? { kind: 'key', key };
    },

    destroy(affiliate, { accountId, eventId, position, erasedAt }) {
      const found = getMany([affiliate]).get(affiliate);
      if (found?.kind === 'erased') return;
      if (found !== undefined) {
        keys.overwrite(affiliate, blank(found.key));
        counts.add('keys', -1);
      }
      counts.add('erased', 1);
      claims.removeAll(affiliate);
      erase.run(affiliate, accountId, eventId, position, erasedAt);
    },

    forgetClaims(owner, forgotten, putAt) {
      for (const claim of forgotten) claims.remove(owner, claim, putAt);
    },

    rewrap(owner, from, to) {
      const found = getMany([owner]).get(owner);
      if (found?.kind !== 'key' || found.key !== from) return false;
      if (Buffer.byteLength(to) === Buffer.byteLength(from)) keys.overwrite(owner, to);
      else {
        keys.overwrite(owner, blank(from));
        keys.replace(owner, to);
      }
      return true;
    },
  };
};

const claimsOf = (db: Database) => {
  const add = db.prepare('INSERT OR IGNORE INTO claims (owner, claim) VALUES (?, ?)');
  const remove = db.prepare(
    `DELETE FROM claims WHERE owner = ?1 AND claim = ?2
     AND (SELECT put_at FROM owners WHERE owner = ?1) = ?3`,
  );
  const removeAll = db.prepare('DELETE FROM claims WHERE owner = ?');
  return {
    add: (owner: KeyOwner, claim: string): void => void add.run(owner, claim),
    /** Unless the owner was put after `putAt`. */
    remove: (owner: KeyOwner, claim: string, putAt: string): void =>
      void remove.run(owner, claim, putAt),
    removeAll: (owner: KeyOwner): void => void removeAll.run(owner),
  };
};

/** Writes the table of keys, of which no cell may move. */
const wrappedKeys = (db: Database) => {
  const insert = db.prepare<{ seq: number }>(
    'INSERT INTO wrapped_keys (key) VALUES (?) RETURNING seq',
  );
  const update = db.prepare(
    'UPDATE wrapped_keys SET key = ?2 WHERE seq = (SELECT key_seq FROM owners WHERE owner = ?1)',
  );
  const refer = db.prepare('UPDATE owners SET key_seq = ?2 WHERE owner = ?1');
  const append = (key: string): number | undefined => insert.all(key)[0]?.seq;
  return {
    append,
    /** Replaces a key by text of the same size, which takes its place in the file. */
    overwrite: (owner: KeyOwner, text: string): void => void update.run(owner, text),
    replace: (owner: KeyOwner, key: string): void => void refer.run(owner, append(key)),
  };
};

const blank = (key: string): string => '-'.repeat(Buffer.byteLength(key));
