/// <reference types="jest" />
import { derivedId } from '@refledger/contracts';
import {
  accountId,
  affiliate,
  erasedAt,
  erasureAt,
  keyOf,
  rowsOf,
  t,
  type KeyStoreUnderTest,
} from './under-test.js';

/** Tests storing keys and reading them. */
export const putting = (at: KeyStoreUnderTest): void => {
  const a = affiliate('a');

  describe('put', () => {
    it('stores a key, which every handle sees as soon as it has resolved', async () => {
      expect(await at.store.put(a, keyOf('key a'))).toEqual({ kind: 'key', key: 'key a' });
      const reader = await at.fixture.read();
      for (const each of [at.store, at.other, reader])
        expect(await each.getMany([a])).toEqual(new Map([[a, { kind: 'key', key: 'key a' }]]));
      await reader.close();
    });

    it('leaves the key that is there, and returns it', async () => {
      await at.store.put(a, keyOf('first'));
      expect(await at.other.put(a, keyOf('second'))).toEqual({ kind: 'key', key: 'first' });
      expect(await at.store.getMany([a])).toEqual(new Map([[a, { kind: 'key', key: 'first' }]]));
    });

    it('collects claims as a set, and the time of the latest put', async () => {
      await at.store.put(a, keyOf('key', null, 1));
      expect(await rowsOf(at.store)).toMatchObject([{ claims: [], putAt: t(1) }]);
      await at.store.put(a, keyOf('key', 'claim 2', 2));
      await at.other.put(a, keyOf('key', 'claim 1', 4));
      // by a process whose clock is behind
      await at.store.put(a, keyOf('key', 'claim 2', 3));
      expect(await rowsOf(at.other)).toEqual([
        {
          owner: a,
          accountId,
          claims: ['claim 1', 'claim 2'],
          putAt: t(4),
          kind: 'key',
          key: 'key',
        },
      ]);
    });

    it('stores one key of many that are put at the same time, and all learn it', async () => {
      const puts = await Promise.all(
        Array.from({ length: 40 }, (_, n) =>
          (n % 2 === 0 ? at.store : at.other).put(a, keyOf(`key ${n}`, `claim ${n}`)),
        ),
      );
      const stored = (await at.store.getMany([a])).get(a);
      expect(puts).toEqual(puts.map(() => stored));
      expect((await rowsOf(at.store))[0]?.claims).toHaveLength(40);
    });

    it('stores the keys of many owners that are put at the same time', async () => {
      const owners = Array.from({ length: 100 }, (_, n) => affiliate(String(n)));
      await Promise.all(owners.map((owner) => at.store.put(owner, keyOf(`key of ${owner}`))));
      expect(await at.other.getMany(owners)).toEqual(
        new Map(owners.map((owner) => [owner, { kind: 'key', key: `key of ${owner}` }])),
      );
    });

    it('stores the key of an account too', async () => {
      await at.store.put(accountId, keyOf('keys of the account'));
      expect((await at.store.getMany([accountId])).get(accountId)).toEqual({
        kind: 'key',
        key: 'keys of the account',
      });
    });
  });

  describe('getMany', () => {
    it('tells keys, erased ones and unknown ones apart', async () => {
      const [b, unknown, account] = [affiliate('b'), affiliate('c'), derivedId('account', 'two')];
      await at.store.put(a, keyOf('key a'));
      await at.store.destroy(b, erasureAt(5));
      expect(await at.store.getMany([a, b, unknown, account, a])).toEqual(
        new Map([
          [a, { kind: 'key', key: 'key a' }],
          [b, { kind: 'erased', ...erasedAt(5) }],
        ]),
      );
    });

    it('of no owners is empty', async () => {
      await at.store.put(a, keyOf('key a'));
      expect(await at.store.getMany([])).toEqual(new Map());
    });
  });
};
