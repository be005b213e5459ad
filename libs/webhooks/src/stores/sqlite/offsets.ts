import type { Position } from '@refledger/contracts';
import type { Offset } from '@refledger/event-bus';
import type { Database } from '@refledger/sqlite';
import { ForeignOffset } from '../delivery-store.js';
import { toOffset, type OffsetRow } from './rows.js';

/**
 * Stores the offsets in the bus, the floor, and the store's id. All calls run within the caller's
 * transaction.
 */
export const offsetKeeper = (db: Database) => {
  const all = db.prepare('SELECT * FROM offsets ORDER BY partition');
  const one = db.prepare('SELECT * FROM offsets WHERE partition = ?');
  const put = db.prepare(
    'INSERT OR REPLACE INTO offsets (partition, source, reached, mark) VALUES (?, ?, ?, ?)',
  );
  const clear = db.prepare('DELETE FROM offsets');
  const factOf = db.prepare('SELECT value FROM facts WHERE name = ?');
  const putFact = db.prepare('INSERT OR REPLACE INTO facts (name, value) VALUES (?, ?)');
  const dropFact = db.prepare('DELETE FROM facts WHERE name = ?');

  const write = ({ partition, source, offset, mark }: Offset): void => {
    put.run(partition, source, offset, mark ?? null);
  };
  const get = (partition: string): Offset | undefined => {
    const row = one.get(partition) as OffsetRow | undefined;
    return row && toOffset(row);
  };
  const fact = (name: string): string | undefined =>
    (factOf.get(name) as { value: string } | undefined)?.value;
  const floor = (): Position | undefined => fact('floor') as Position | undefined;

  return {
    get,
    floor,
    all: (): readonly Offset[] => (all.all() as unknown as OffsetRow[]).map(toOffset),

    /** Raises the offset; ignores an offset that is not higher. Throws `ForeignOffset`. */
    raise(offset: Offset): void {
      const stored = get(offset.partition);
      if (stored !== undefined && stored.source !== offset.source)
        throw new ForeignOffset(offset, stored);
      if (stored === undefined || isAfter(offset.offset, stored.offset)) write(offset);
    },
    raiseFloor(to: Position | undefined): void {
      const from = floor();
      if (to !== undefined && (from === undefined || isAfter(to, from))) putFact.run('floor', to);
    },
    reset(offsets: readonly Offset[], to: Position | undefined): void {
      clear.run();
      for (const offset of offsets) write(offset);
      if (to === undefined) dropFact.run('floor');
      else putFact.run('floor', to);
    },

    /** A fact about the store, created when it is first asked for. */
    fact(name: string, make: () => string): string {
      const known = fact(name);
      if (known !== undefined) return known;
      const made = make();
      putFact.run(name, made);
      return made;
    },
  };
};

/** Compares offsets or positions, which are decimal strings. */
const isAfter = (a: string, b: string): boolean => BigInt(a) > BigInt(b);
