/// <reference types="jest" />
import { accountId, affiliate, erasureAt, keyOf, type KeyStoreUnderTest } from './under-test.js';

/** Tests that rows are counted. */
export const counting = (at: KeyStoreUnderTest): void => {
  const [a, b, c] = [affiliate('a'), affiliate('b'), affiliate('c')];

  describe('counts', () => {
    it('of a new store are zero', async () => {
      expect(await at.store.counts()).toEqual({ keys: 0, erased: 0 });
    });

    it('are the owners with a key and the erased ones, each once', async () => {
      for (const owner of [accountId, a, b]) await at.store.put(owner, keyOf('key 1'));
      await at.store.put(a, keyOf('key 2'));
      await at.store.rewrap(b, 'key 1', 'a longer key');
      expect(await at.other.counts()).toEqual({ keys: 3, erased: 0 });

      for (const owner of [a, c, a]) await at.store.destroy(owner, erasureAt(9));
      await at.store.put(c, keyOf('key 3'));
      expect(await at.other.counts()).toEqual({ keys: 2, erased: 2 });
    });
  });
};
