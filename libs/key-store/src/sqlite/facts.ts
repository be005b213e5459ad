import type { Checkpoint } from '@refledger/contracts';
import { SqliteError, type Database } from '@refledger/sqlite';

/** Stores the store's id, and up to where the erasures of the log were applied. */
export const factsOf = (db: Database) => {
  const read = db.prepare<{ value: string }>('SELECT value FROM facts WHERE name = ?');
  const write = 'INSERT OR REPLACE INTO facts (name, value) VALUES (?, ?)';

  /** The id of the store. Throws an `absent` error while there is none. */
  const id = (): string => {
    const found = read.get('store_id')?.value;
    if (found === undefined) throw noStore(db.file);
    return found;
  };
  return {
    id,
    createId(newId: string): string {
      db.prepare('INSERT OR IGNORE INTO facts (name, value) VALUES (?, ?)').run('store_id', newId);
      return id();
    },
    checkpoint: (): Checkpoint | undefined => {
      const found = read.get('checkpoint')?.value;
      return found === undefined ? undefined : (JSON.parse(found) as Checkpoint);
    },
    saveCheckpoint: ({ logId, position, eventId }: Checkpoint): void =>
      void db.prepare(write).run('checkpoint', JSON.stringify({ logId, position, eventId })),
  };
};

export const noStore = (file: string): SqliteError =>
  new SqliteError('absent', file, 'there is no key store here yet');
