/// <reference types="jest" />
import { affiliate, erasureAt, keyOf, rowsOf, t, type KeyStoreUnderTest } from './under-test.js';

/** Tests that rows with claims are found, until these are forgotten. */
export const claiming = (at: KeyStoreUnderTest): void => {
  const [a, b, c, d] = [affiliate('a'), affiliate('b'), affiliate('c'), affiliate('d')];

  const claimed = async (putBefore: number) => {
    const rows = [];
    for await (const page of at.other.scanClaimed(t(putBefore))) rows.push(...page);
    return rows;
  };
  const ownersOf = async (putBefore: number) =>
    (await claimed(putBefore)).map(({ owner }) => owner);

  describe('scanClaimed', () => {
    it('shows rows with a key and claims that were last put before a time', async () => {
      await at.store.put(a, keyOf('key a', 'claim 1', 1));
      await at.store.put(a, keyOf('key a', 'claim 2', 3));
      await at.store.put(b, keyOf('key b', 'claim 3', 2));
      await at.store.put(c, keyOf('key c', null, 1));
      await at.store.put(d, keyOf('key d', 'claim 4', 1));
      await at.store.destroy(d, erasureAt(9));
      expect(await ownersOf(2)).toEqual([]);
      expect(await ownersOf(3)).toEqual([b]);
      expect(await ownersOf(4)).toEqual([a, b].sort());
      const rows = await rowsOf(at.store);
      expect(await claimed(4)).toEqual(rows.filter(({ owner }) => owner === a || owner === b));
    });

    it('shows every row once, over several pages', async () => {
      const owners = Array.from({ length: 600 }, (_, n) => affiliate(String(n)));
      await Promise.all(owners.map((owner) => at.store.put(owner, keyOf(owner, `of ${owner}`))));
      expect(await ownersOf(1)).toEqual([...owners].sort());
    });
  });

  describe('forgetClaims', () => {
    it('removes these claims, and nothing else', async () => {
      for (const claim of ['claim 1', 'claim 2']) await at.store.put(a, keyOf('key a', claim, 1));
      await at.store.put(b, keyOf('key b', 'claim 1', 1));
      await at.store.forgetClaims(a, ['claim 1'], t(1));
      expect(await claimed(2)).toMatchObject(
        [
          { owner: a, claims: ['claim 2'] },
          { owner: b, claims: ['claim 1'] },
        ].sort((one, two) => (one.owner < two.owner ? -1 : 1)),
      );
      await at.store.forgetClaims(a, ['claim 2', 'claim 3'], t(1));
      expect(await ownersOf(2)).toEqual([b]);
      expect((await rowsOf(at.store)).find(({ owner }) => owner === a)).toMatchObject({
        kind: 'key',
        key: 'key a',
        claims: [],
        putAt: t(1),
      });
      await at.store.put(a, keyOf('key a', 'claim 1', 5));
      expect(await ownersOf(6)).toEqual([a, b].sort());
    });

    it('leaves a row that was put since', async () => {
      await at.store.put(a, keyOf('key a', 'claim 1', 1));
      await at.store.put(a, keyOf('key a', 'claim 1', 2));
      await at.store.forgetClaims(a, ['claim 1'], t(1));
      expect(await ownersOf(3)).toEqual([a]);
    });

    it('has no effect on an erased or an unknown owner', async () => {
      await at.store.put(a, keyOf('key a', 'claim 1', 1));
      await at.store.destroy(a, erasureAt(9));
      for (const owner of [a, b]) await at.store.forgetClaims(owner, ['claim 1'], t(1));
      expect((await rowsOf(at.store)).map(({ kind }) => kind)).toEqual(['erased']);
    });
  });
};
