import { randomUUID } from 'node:crypto';
import type { Position } from '@refledger/contracts';
import type { Offset } from '@refledger/event-bus';
import type { Database } from '@refledger/sqlite';
import { ForeignOffset } from '../planner-store.js';

/**
 * Stores the offsets in the bus, the floor, the store's id, and up to when deliveries were removed.
 * All calls run within the caller's transaction.
 */
export const offsetKeeper = (db: Database) => {
  const select = 'SELECT partition, source, reached AS offset, mark FROM offsets';
  const all = db.prepare<OffsetRow>(`${select} ORDER BY partition`);
  const one = db.prepare<OffsetRow>(`${select} WHERE partition = ?`);
  const put = db.prepare(
    'INSERT OR REPLACE INTO offsets (partition, source, reached, mark) VALUES (?, ?, ?, ?)',
  );
  const clear = db.prepare('DELETE FROM offsets');
  const factOf = db.prepare<{ value: string }>('SELECT value FROM facts WHERE name = ?');
  const floorOf = db.prepare<{ value: Position }>("SELECT value FROM facts WHERE name = 'floor'");
  const putFact = db.prepare('INSERT OR REPLACE INTO facts (name, value) VALUES (?, ?)');
  const dropFact = db.prepare('DELETE FROM facts WHERE name = ?');

  const write = ({ partition, source, offset, mark }: Offset): void => {
    put.run(partition, source, offset, mark ?? null);
  };
  const get = (partition: string): Offset | undefined => one.all(partition).map(toOffset)[0];
  const endedBefore = (): string | undefined => factOf.get('ended_before')?.value;
  const floor = (): Position | undefined => floorOf.get()?.value;

  return {
    get,
    floor,
    all: (): readonly Offset[] => all.all().map(toOffset),

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

    /** Deliveries that ended before this instant may have been removed; undefined: none was. */
    endedBefore,
    raiseEndedBefore(instant: string): void {
      if ((endedBefore() ?? '') < instant) putFact.run('ended_before', instant);
    },

    /** The id of the store; undefined while it is being created. */
    storeId: (): string | undefined => factOf.get('store_id')?.value,
    createStoreId(): string {
      const id = randomUUID();
      putFact.run('store_id', id);
      return id;
    },
  };
};

/** Compares offsets or positions, which are decimal strings. */
const isAfter = (a: string, b: string): boolean => BigInt(a) > BigInt(b);

interface OffsetRow extends Omit<Offset, 'mark'> {
  readonly mark: string | null;
}

const toOffset = ({ mark, ...offset }: OffsetRow): Offset => ({
  ...offset,
  ...(mark !== null && { mark }),
});
