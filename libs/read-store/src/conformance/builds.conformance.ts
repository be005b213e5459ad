/// <reference types="jest" />
import { present } from '@refledger/testing/present';
import type { ProjectionSpec } from '../read-store.js';
import { changes, logId, newest, sale, sales, stored } from './fixtures.js';
import type { OpenStore } from './open-store.js';

export const buildsConformance = (open: OpenStore): void => {
  describe('builds', () => {
    const nextVersion: ProjectionSpec = { ...sales, version: 2 };

    it('creates one build per cause, however many callers ask', async () => {
      const [one, two] = [await open(), await open()];

      const builds = await Promise.all([
        one.createBuild(sales, logId, 'first'),
        two.createBuild(sales, logId, 'first'),
        two.createBuild(sales, logId, 'second'),
      ]);

      expect(builds[0].id).toBe(builds[1].id);
      expect(builds[2].id).not.toBe(builds[0].id);
      expect((await one.builds('sales')).map(({ id, state }) => [id, state]).sort()).toEqual(
        [
          [builds[0].id, 'building'],
          [builds[2].id, 'building'],
        ].sort(),
      );
      expect(await one.builds('purchases')).toEqual([]);
    });

    it('reports a projection as unreadable until a build is live, with its progress', async () => {
      const store = await open();
      await expect(store.find(sales, logId, 'sales', newest)).rejects.toMatchObject({
        name: 'ReadModelUnreadable',
        projection: 'sales',
        progress: undefined,
      });
      const build = await store.createBuild(sales, logId, 'first');
      await store.save([changes(build, 5, stored('a', 5))]);

      await expect(store.find(sales, logId, 'sales', newest)).rejects.toMatchObject({
        name: 'ReadModelUnreadable',
        progress: '5',
      });
      await expect(store.get(sales, logId, 'sales', 'a')).rejects.toMatchObject({
        name: 'ReadModelUnreadable',
        progress: '5',
      });
      expect(await store.goLive(build)).toBe(true);
      expect(await store.goLive(build)).toBe(true);

      expect(await store.get(sales, logId, 'sales', 'a')).toEqual({
        value: sale('a'),
        position: '5',
      });
    });

    it('is unreadable for another log and for a version that the release does not read', async () => {
      const store = await open();
      const build = await store.createBuild(sales, logId, 'first');
      await store.save([changes(build, 1, stored('a', 1))]);
      await store.goLive(build);

      await expect(store.get(sales, 'log-2', 'sales', 'a')).rejects.toMatchObject({
        name: 'ReadModelUnreadable',
      });
      await expect(store.get(nextVersion, logId, 'sales', 'a')).rejects.toMatchObject({
        name: 'ReadModelUnreadable',
      });
      expect((await store.get({ ...nextVersion, reads: [1] }, logId, 'sales', 'a')).value).toEqual(
        sale('a'),
      );
    });

    it('prefers its own version to another readable one', async () => {
      const store = await open();
      const [old, own] = [
        await store.createBuild(sales, logId, 'first'),
        await store.createBuild(nextVersion, logId, 'first'),
      ];
      await store.save([
        changes(old, 1, stored('a', 1, sale('a', { amount: 1 }))),
        changes(own, 1, stored('a', 1, sale('a', { amount: 2 }))),
      ]);
      await store.goLive(own);
      await store.goLive(old);

      expect((await store.get({ ...nextVersion, reads: [1] }, logId, 'sales', 'a')).value).toEqual(
        sale('a', { amount: 2 }),
      );
      expect((await store.get(sales, logId, 'sales', 'a')).value).toEqual(sale('a', { amount: 1 }));
    });

    it('does not read an older build by an index that it lacks', async () => {
      const store = await open();
      const old = await store.createBuild(sales, logId, 'first');
      await store.goLive(old);
      const withNote: ProjectionSpec = {
        ...nextVersion,
        reads: [1],
        collections: [
          {
            name: 'sales',
            indexes: [
              ...present(sales.collections[0]).indexes,
              { fields: ['account_id', 'note', 'created_at', 'id'] },
            ],
          },
        ],
      };

      expect((await store.find(withNote, logId, 'sales', newest)).value).toEqual([]);
      await expect(
        store.find(withNote, logId, 'sales', {
          ...newest,
          where: [...newest.where, { field: 'note', equals: 'x' }],
        }),
      ).rejects.toMatchObject({ name: 'ReadModelUnreadable' });
    });

    it('does not go live behind a live build, so reads never go back in time', async () => {
      const store = await open();
      const [old, next] = [
        await store.createBuild(sales, logId, 'first'),
        await store.createBuild(nextVersion, logId, 'first'),
      ];
      await store.save([changes(old, 10), changes(next, 9)]);
      await store.goLive(old);

      expect(await store.goLive(next)).toBe(false);
      await expect(store.find(nextVersion, logId, 'sales', newest)).rejects.toMatchObject({
        name: 'ReadModelUnreadable',
      });
      await store.save([changes(next, 10)]);
      expect(await store.goLive(next)).toBe(true);
    });

    it('drops a build with its documents, repeatedly, and creates it again', async () => {
      const store = await open();
      const build = await store.createBuild(sales, logId, 'first');
      await store.save([changes(build, 1, stored('a', 1))]);

      await store.dropBuild(build);
      await store.dropBuild(build);

      expect(await store.builds('sales')).toEqual([]);
      await expect(store.goLive(build)).rejects.toMatchObject({ name: 'BuildNotFoundError' });
      const again = await store.createBuild(sales, logId, 'first');
      expect(again.checkpoint).toBeUndefined();
      expect(await store.load(again, 'sales', ['a'])).toEqual([]);
    });

    it('switches while readers see either the old or the new build', async () => {
      const [writer, reader] = [await open(), await open()];
      const documents = (amount: number) =>
        Array.from({ length: 50 }, (_, i) => stored(`s${i}`, i + 1, sale(`s${i}`, { amount })));
      let live = await writer.createBuild(sales, logId, 'build-0');
      await writer.save([changes(live, 50, ...documents(0))]);
      await writer.goLive(live);
      let switching = true;
      const switchBuilds = async (): Promise<void> => {
        for (let amount = 1; amount <= 10; amount++) {
          const next = await writer.createBuild(sales, logId, `build-${amount}`);
          await writer.save([changes(next, 50, ...documents(amount))]);
          await writer.goLive(next);
          await writer.dropBuild(live);
          live = next;
        }
        switching = false;
      };
      const pages: unknown[][] = [];
      const readPages = async (): Promise<void> => {
        while (switching) {
          pages.push(
            (await reader.find(sales, logId, 'sales', newest)).value.map(({ amount }) => amount),
          );
          await new Promise((resolve) => setImmediate(resolve));
        }
      };

      await Promise.all([switchBuilds(), readPages()]);

      for (const page of pages) expect([page.length, new Set(page).size]).toEqual([50, 1]);
      expect((await reader.find(sales, logId, 'sales', newest)).value[0]).toMatchObject({
        amount: 10,
      });
    });
  });
};
