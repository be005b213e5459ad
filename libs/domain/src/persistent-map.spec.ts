import fc from 'fast-check';
import { PersistentMap } from './persistent-map.js';

const changes = fc.array(
  fc.record({ key: fc.integer({ min: 0, max: 200 }).map(String), value: fc.option(fc.nat()) }),
  { maxLength: 300 },
);

it('equals a plain map, and never changes when others are derived from it', () => {
  fc.assert(
    fc.property(changes, (all) => {
      const model = new Map<string, number>();
      let map: PersistentMap<string, number> = PersistentMap.empty;
      const versions: { readonly map: typeof map; readonly model: ReadonlyMap<string, number> }[] =
        [];
      for (const { key, value } of all) {
        map = value === null ? map.without(key) : map.with(key, value);
        if (value === null) model.delete(key);
        else model.set(key, value);
        versions.push({ map, model: new Map(model) });
      }
      for (const version of versions) {
        expect(new Map(version.map)).toEqual(version.model);
        expect(version.map.size).toBe(version.model.size);
        expect([...version.map.values()].toSorted()).toEqual(
          [...version.model.values()].toSorted(),
        );
        for (const { key } of all)
          expect([version.map.has(key), version.map.get(key)]).toEqual([
            version.model.has(key),
            version.model.get(key),
          ]);
      }
    }),
    { numRuns: 50 },
  );
});

it('gives the same result for many entries at once as for one at a time', () => {
  const entry = fc.tuple(fc.integer({ min: 0, max: 99 }).map(String), fc.nat());
  fc.assert(
    fc.property(fc.array(entry, { maxLength: 100, size: 'max' }), (entries) => {
      let byOne: PersistentMap<string, number> = PersistentMap.empty;
      for (const [key, value] of entries) byOne = byOne.with(key, value);
      const map = PersistentMap.fromEntries(entries);
      expect(map.size).toBe(byOne.size);
      // the same order shows that the buckets are the same
      expect([...map]).toEqual([...byOne]);
    }),
    { numRuns: 50 },
  );
});

it('keeps the last entry of each key', () => {
  const map = PersistentMap.fromEntries<string, number>([
    ['a', 1],
    ['b', 2],
    ['a', 3],
  ]);
  expect(new Map(map)).toEqual(
    new Map([
      ['a', 3],
      ['b', 2],
    ]),
  );
  expect(map.without('c')).toBe(map);
});
