import type { Position } from '@refledger/contracts';
import type { BusPlace } from '@refledger/event-bus';
import type { Database } from '@refledger/sqlite';
import { ForeignPlace } from '../delivery-store.js';
import { toPlace, type PlaceRow } from './rows.js';

/** Places in the bus, the floor, and the store's own id. Everything runs within the caller's transaction. */
export const placeKeeper = (db: Database) => {
  const all = db.prepare('SELECT * FROM places ORDER BY partition');
  const one = db.prepare('SELECT * FROM places WHERE partition = ?');
  const put = db.prepare(
    'INSERT OR REPLACE INTO places (partition, source, reached, mark) VALUES (?, ?, ?, ?)',
  );
  const clear = db.prepare('DELETE FROM places');
  const factOf = db.prepare('SELECT value FROM facts WHERE name = ?');
  const putFact = db.prepare('INSERT OR REPLACE INTO facts (name, value) VALUES (?, ?)');
  const dropFact = db.prepare('DELETE FROM facts WHERE name = ?');

  const write = ({ partition, source, offset, mark }: BusPlace): void => {
    put.run(partition, source, offset, mark ?? null);
  };
  const get = (partition: string): BusPlace | undefined => {
    const row = one.get(partition) as PlaceRow | undefined;
    return row && toPlace(row);
  };
  const fact = (name: string): string | undefined =>
    (factOf.get(name) as { value: string } | undefined)?.value;
  const floor = (): Position | undefined => fact('floor') as Position | undefined;

  return {
    get,
    floor,
    all: (): readonly BusPlace[] => (all.all() as unknown as PlaceRow[]).map(toPlace),

    /** Moves the place on; one that is not further changes nothing. */
    raise(place: BusPlace): void {
      const stored = get(place.partition);
      if (stored !== undefined && stored.source !== place.source)
        throw new ForeignPlace(place, stored);
      if (stored === undefined || isAfter(place.offset, stored.offset)) write(place);
    },
    raiseFloor(to: Position | undefined): void {
      const from = floor();
      if (to !== undefined && (from === undefined || isAfter(to, from))) putFact.run('floor', to);
    },
    reset(places: readonly BusPlace[], to: Position | undefined): void {
      clear.run();
      for (const place of places) write(place);
      if (to === undefined) dropFact.run('floor');
      else putFact.run('floor', to);
    },

    /** A fact of the store, made at its first asking. */
    fact(name: string, make: () => string): string {
      const known = fact(name);
      if (known !== undefined) return known;
      const made = make();
      putFact.run(name, made);
      return made;
    },
  };
};

/** Offsets and positions are decimal strings. */
const isAfter = (a: string, b: string): boolean => BigInt(a) > BigInt(b);
