/// <reference types="jest" />
import {
  accountId,
  affiliate,
  erasedAt,
  erasureAt,
  keyOf,
  rowsOf,
  type KeyStoreUnderTest,
} from './under-test.js';

/** Tests that a destroyed key is gone permanently. */
export const destroying = (at: KeyStoreUnderTest): void => {
  const [a, b] = [affiliate('a'), affiliate('b')];
  const erased = { kind: 'erased', ...erasedAt(9) };

  describe('destroy', () => {
    it('leaves the erasure instead of the key and its claims, for every handle', async () => {
      await at.store.put(a, keyOf('key a', 'claim a'));
      await at.store.put(b, keyOf('key b', 'claim b'));
      await at.store.destroy(a, erasureAt(9));
      const reader = await at.fixture.read();
      for (const each of [at.store, at.other, reader]) {
        expect((await each.getMany([a, b])).get(a)).toEqual(erased);
        expect((await each.getMany([a, b])).get(b)).toEqual({ kind: 'key', key: 'key b' });
        expect((await rowsOf(each)).find(({ owner }) => owner === a)).toEqual({
          owner: a,
          accountId,
          claims: [],
          putAt: null,
          ...erased,
        });
      }
      await reader.close();
    });

    it('marks an affiliate that has no row', async () => {
      await at.store.destroy(a, erasureAt(9));
      expect((await at.other.getMany([a])).get(a)).toEqual(erased);
    });

    it('keeps the first erasure when it is repeated', async () => {
      await at.store.put(a, keyOf('key a'));
      await at.store.destroy(a, erasureAt(9));
      await at.other.destroy(a, erasureAt(10));
      expect((await at.store.getMany([a])).get(a)).toEqual(erased);
    });

    it('lets no later put revive the key', async () => {
      await at.store.put(a, keyOf('key a'));
      await at.store.destroy(a, erasureAt(9));
      const rows = await rowsOf(at.store);
      expect(await at.other.put(a, keyOf('new key', 'new claim', 99))).toEqual(erased);
      expect(await rowsOf(at.store)).toEqual(rows);
    });

    it('wins over the puts that it meets', async () => {
      const results = await Promise.all([
        ...Array.from({ length: 10 }, (_, n) => at.other.put(a, keyOf(`key ${n}`, `claim ${n}`))),
        at.store.destroy(a, erasureAt(9)),
        ...Array.from({ length: 10 }, () => at.store.destroy(a, erasureAt(9))),
      ]);
      expect(results).toHaveLength(21);
      expect((await at.other.getMany([a])).get(a)).toEqual(erased);
      expect((await rowsOf(at.store))[0]?.claims).toEqual([]);
    });

    it('resolves while others read and write', async () => {
      const owners = Array.from({ length: 30 }, (_, n) => affiliate(String(n)));
      await Promise.all(owners.map((owner) => at.store.put(owner, keyOf(owner))));
      await Promise.all(
        owners.flatMap((owner, n) => [
          n % 2 === 0 ? at.store.destroy(owner, erasureAt(9)) : at.store.put(owner, keyOf('other')),
          at.other.getMany(owners),
        ]),
      );
      const stored = await at.other.getMany(owners);
      expect(owners.map((owner) => stored.get(owner)?.kind)).toEqual(
        owners.map((_, n) => (n % 2 === 0 ? 'erased' : 'key')),
      );
    });
  });
};
