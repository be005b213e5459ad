/// <reference types="jest" />
import { changes, checkpoint, logId, over, sale, sales, stored } from './fixtures.js';
import type { OpenStore } from './open-store.js';

/** Documents are saved over the one that they were made of, and over no other. */
export const staleConformance = (open: OpenStore, bulkSize: number): void => {
  describe('save of a document that was made of another than the stored one', () => {
    it('takes a save again that was made before, as after an unknown outcome', async () => {
      const store = await open();
      const build = await store.createBuild(sales, logId, 'first');
      const first = changes(build, 2, stored('a', 1), stored('b', 2));
      const second = changes(build, 3, over(1, stored('a', 3, sale('a', { amount: 3 }))));

      expect([await store.save([first]), await store.save([first])]).toEqual([true, false]);
      expect([await store.save([second]), await store.save([second]), await store.save([first])]).toEqual([true, false, false]);

      expect(await store.load(build, 'sales', ['a'])).toEqual([stored('a', 3, sale('a', { amount: 3 }))]);
      expect((await store.builds('sales'))[0]?.checkpoint).toEqual(checkpoint(3));
    });

    describe.each(['on its way', 'live'])('of a build that is %s refuses a document that was made of', (state) => {
      it.each([
        ['an older copy', 'a', over(3, stored('a', 12))],
        ['a copy that is ahead of what is stored', 'a', over(11, stored('a', 12))],
        ['no document where there is one', 'a', stored('a', 12)],
        ['a document where there is none', 'none', over(3, stored('none', 12))],
      ])('%s, until it is loaded again', async (_, id, stale) => {
        const store = await open();
        const created = await store.createBuild(sales, logId, 'first');
        const before = stored('a', 5, sale('a', { amount: 5 }));
        await store.save([changes(created, 10, before)]);
        if (state === 'live') await store.goLive(created);
        const [build] = await store.builds('sales');

        await expect(store.save([changes(build!, 12, stale)])).rejects.toMatchObject({ name: 'StaleDocument', build: { id: created.id }, collection: 'sales', id });

        expect(await store.load(created, 'sales', ['a', id])).toEqual([before]);
        expect((await store.builds('sales'))[0]?.checkpoint).toEqual(checkpoint(10));
        expect(await store.save([changes(build!, 12, over(5, stored('a', 12)))])).toBe(true);
        expect(await store.load(created, 'sales', ['a'])).toEqual([stored('a', 12)]);
      });
    });

    it('refuses one among a great many of a build on its way, and goes on with others', async () => {
      const store = await open();
      const build = await store.createBuild(sales, logId, 'first');
      await store.save([changes(build, 1, stored('stale', 1))]);
      const many = Array.from({ length: bulkSize }, (_, i) => stored(`sale-${i}`, i + 1));

      await expect(store.save([changes(build, bulkSize, ...many, stored('stale', 2))])).rejects.toMatchObject({ name: 'StaleDocument', collection: 'sales', id: 'stale' });

      expect((await store.builds('sales'))[0]?.checkpoint).toEqual(checkpoint(1));
      await store.save([changes(build, bulkSize, ...many, over(1, stored('stale', 2)))]);
      expect(await store.load(build, 'sales', [...many.map(({ id }) => id), 'stale'])).toHaveLength(bulkSize + 1);
      expect((await store.builds('sales'))[0]?.checkpoint).toEqual(checkpoint(bulkSize));
    });
  });
};
