/// <reference types="jest" />
import { affiliate, erasureAt, keyOf, rowsOf, t, type KeyStoreUnderTest } from './under-test.js';

/** Tests that wrapped keys are replaced. */
export const rewrapping = (at: KeyStoreUnderTest): void => {
  const a = affiliate('a');

  describe('rewrap', () => {
    it.each(['key 2', 'a longer key', 'k'])(
      'replaces a key by %j, and nothing else',
      async (to) => {
        await at.store.put(a, keyOf('key 1', 'claim', 5));
        await at.store.put(affiliate('b'), keyOf('key 1'));
        expect(await at.other.rewrap(a, 'key 1', to)).toBe(true);
        expect(await at.store.getMany([a, affiliate('b')])).toEqual(
          new Map([
            [a, { kind: 'key', key: to }],
            [affiliate('b'), { kind: 'key', key: 'key 1' }],
          ]),
        );
        expect((await rowsOf(at.store)).find(({ owner }) => owner === a)).toMatchObject({
          claims: ['claim'],
          putAt: t(5),
        });
      },
    );

    it('leaves a key that is not the expected one', async () => {
      await at.store.put(a, keyOf('key 1'));
      expect(await at.store.rewrap(a, 'key 0', 'key 2')).toBe(false);
      expect((await at.store.getMany([a])).get(a)).toEqual({ kind: 'key', key: 'key 1' });
    });

    it('has no effect on an erased or an unknown owner', async () => {
      await at.store.put(a, keyOf('key 1'));
      await at.store.destroy(a, erasureAt(9));
      expect(await at.store.rewrap(a, 'key 1', 'key 2')).toBe(false);
      expect(await at.store.rewrap(affiliate('b'), 'key 1', 'key 2')).toBe(false);
      expect((await rowsOf(at.store)).map(({ kind }) => kind)).toEqual(['erased']);
    });
  });
};
