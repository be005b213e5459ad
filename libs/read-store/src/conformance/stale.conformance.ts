/// <reference types="jest" />
import { present } from '@refledger/testing/present';
import type { ReadPositions } from '../read-store.js';
import {
  positionOf,
  changes,
  checkpoint,
  logId,
  madeFrom,
  sale,
  sales,
  stored,
} from './fixtures.js';
import type { OpenStore } from './open-store.js';

/** Tests that a document replaces only the document that it was made from. */
export const staleConformance = (open: OpenStore, bulkSize: number): void => {
  describe('saving a document made from a copy other than the stored one', () => {
    it('accepts a repeated save, as after an unknown outcome', async () => {
      const store = await open();
      const build = await store.createBuild(sales, logId, 'first');
      const first = changes(build, 2, stored('a', 1), stored('b', 2));
      const second = changes(build, 3, madeFrom(1, stored('a', 3, sale('a', { amount: 3 }))));

      expect([await store.save([first]), await store.save([first])]).toEqual([true, false]);
      expect([
        await store.save([second]),
        await store.save([second]),
        await store.save([first]),
      ]).toEqual([true, false, false]);

      expect(await store.load(build, 'sales', ['a'])).toEqual([
        stored('a', 3, sale('a', { amount: 3 })),
      ]);
      expect((await store.builds('sales'))[0]?.checkpoint).toEqual(checkpoint(3));
    });

    describe.each(['in progress', 'live'])(
      'of a build that is %s refuses a document that was made from',
      (state) => {
        it.each([
          ['an older copy', 'a', madeFrom(3, stored('a', 12))],
          ['a copy that is ahead of what is stored', 'a', madeFrom(11, stored('a', 12))],
          ['no document where there is one', 'a', stored('a', 12)],
          ['a document where there is none', 'none', madeFrom(3, stored('none', 12))],
        ])('%s, until it is loaded again', async (_, id, stale) => {
          const store = await open();
          const created = await store.createBuild(sales, logId, 'first');
          const before = stored('a', 5, sale('a', { amount: 5 }));
          await store.save([changes(created, 10, before)]);
          if (state === 'live') await store.goLive(created);
          const [build] = await store.builds('sales');

          await expect(store.save([changes(present(build), 12, stale)])).rejects.toMatchObject({
            name: 'StaleDocument',
            build: { id: created.id },
            collection: 'sales',
            id,
          });

          expect(await store.load(created, 'sales', ['a', id])).toEqual([before]);
          expect((await store.builds('sales'))[0]?.checkpoint).toEqual(checkpoint(10));
          expect(
            await store.save([changes(present(build), 12, madeFrom(5, stored('a', 12)))]),
          ).toBe(true);
          expect(await store.load(created, 'sales', ['a'])).toEqual([stored('a', 12)]);
        });
      },
    );

    describe.each([2, bulkSize])(
      'beside %i others refuses an unchanged document that was read',
      (count) => {
        const others = Array.from({ length: count }, (_, i) => stored(`sale-${i}`, 12));
        const leaving = (
          ...read: readonly (readonly [string, ReturnType<typeof positionOf> | undefined])[]
        ): ReadonlyMap<string, ReadPositions> => new Map([['sales', new Map(read)]]);

        it.each([
          ['as an older copy', 'a', positionOf(3)],
          ['as a copy that is ahead', 'a', positionOf(11)],
          ['as if it did not exist', 'a', undefined],
          ['as if it existed', 'none', positionOf(3)],
        ])('%s, until it is loaded again', async (_, id, read) => {
          const store = await open();
          const build = await store.createBuild(sales, logId, 'first');
          await store.save([changes(build, 10, stored('a', 5))]);
          const save = (unchanged: ReadonlyMap<string, ReadPositions>) =>
            store.save([{ ...changes(build, 12, ...others), unchanged }]);

          await expect(save(leaving([id, read]))).rejects.toMatchObject({
            name: 'StaleDocument',
            build: { id: build.id },
            collection: 'sales',
            id,
          });

          expect((await store.builds('sales'))[0]?.checkpoint).toEqual(checkpoint(10));
          await save(leaving(['a', positionOf(5)], ['none', undefined]));
          expect((await store.builds('sales'))[0]?.checkpoint).toEqual(checkpoint(12));
          expect(await store.load(build, 'sales', ['a', 'none', 'sale-1'])).toHaveLength(2);
        });
      },
    );

    it('rejects one of very many during a build, and continues with others', async () => {
      const store = await open();
      const build = await store.createBuild(sales, logId, 'first');
      await store.save([changes(build, 1, stored('stale', 1))]);
      const many = Array.from({ length: bulkSize }, (_, i) => stored(`sale-${i}`, i + 1));

      await expect(
        store.save([changes(build, bulkSize, ...many, stored('stale', 2))]),
      ).rejects.toMatchObject({ name: 'StaleDocument', collection: 'sales', id: 'stale' });

      expect((await store.builds('sales'))[0]?.checkpoint).toEqual(checkpoint(1));
      await store.save([changes(build, bulkSize, ...many, madeFrom(1, stored('stale', 2)))]);
      expect(await store.load(build, 'sales', [...many.map(({ id }) => id), 'stale'])).toHaveLength(
        bulkSize + 1,
      );
      expect((await store.builds('sales'))[0]?.checkpoint).toEqual(checkpoint(bulkSize));
    });
  });
};
