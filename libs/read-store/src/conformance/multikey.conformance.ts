/// <reference types="jest" />
import type { Build, Document, Query, ReadStore } from '../read-store.js';
import { changes, logId, newest, madeFrom, sale, sales, stored } from './fixtures.js';
import type { OpenStore } from './open-store.js';

/** Tests an index that finds a document by each text of a list. */
export const multikeyConformance = (open: OpenStore, bulkSize: number): void => {
  describe('a multikey index', () => {
    const saved = async (store: ReadStore, build: Build, documents: readonly Document[]) =>
      store.save([
        changes(
          build,
          documents.length,
          ...documents.map((document, i) => stored(document['id'] as string, i + 1, document)),
        ),
      ]);
    const given = async (...documents: readonly Document[]) => {
      const store = await open();
      const build = await store.createBuild(sales, logId, 'first');
      await saved(store, build, documents);
      await store.goLive(build);
      const [live = build] = await store.builds('sales');
      return { store, build: live };
    };
    const find = async (store: ReadStore, query: Query) =>
      (await store.find(sales, logId, 'sales', query)).value.map(({ id }) => id);
    const tagged = (store: ReadStore, tag: string, changed: Partial<Query> = {}) =>
      find(store, {
        ...newest,
        ...changed,
        where: [...newest.where, { field: 'tags', equals: tag }, ...(changed.where ?? [])],
      });

    it('finds a document by each of its texts, within its other fields', async () => {
      const { store } = await given(
        sale('a', { tags: ['red', 'blue'] }),
        sale('b'),
        sale('c', { tags: [] }),
        sale('d', { tags: ['red', 'red'], status: 'approved' }),
        sale('e', { tags: ['red'], account_id: 'acct_2' }),
      );
      expect(await tagged(store, 'red')).toEqual(['d', 'a']);
      expect(await tagged(store, 'blue')).toEqual(['a']);
      expect(await tagged(store, 're')).toEqual([]);
      const where = [{ field: 'status', equals: 'approved' }];
      expect(await tagged(store, 'red', { where })).toEqual(['d']);
      expect(await find(store, newest)).toEqual(['d', 'c', 'b', 'a']);
      expect(await store.get(sales, logId, 'sales', 'a')).toMatchObject({
        value: { tags: ['red', 'blue'] },
      });
    });

    it('orders both ways, after a cursor and within a range', async () => {
      const at = (minute: number): string => `2026-01-01T00:0${minute}:00.000Z`;
      const documents = ['a', 'b', 'c', 'd'].map((id, n) =>
        sale(id, { tags: n === 2 ? ['blue'] : ['red', id], created_at: at(n) }),
      );
      const { store } = await given(...documents);
      const order = { fields: ['created_at', 'id'], descending: false };
      expect(await tagged(store, 'red', { order })).toEqual(['a', 'b', 'd']);
      expect(await tagged(store, 'red', { order, limit: 1, after: [at(0), 'a'] })).toEqual(['b']);
      expect(await tagged(store, 'red', { limit: 5, after: [at(3), 'd'] })).toEqual(['b', 'a']);
      const where = [{ field: 'created_at', after: at(0), before: at(3) }];
      expect(await tagged(store, 'red', { where })).toEqual(['b']);
    });

    it.each(['building', 'live'])('follows each change of a document while %s', async (state) => {
      const store = await open();
      const build = await store.createBuild(sales, logId, 'first');
      if (state === 'live') await store.goLive(build);
      const [current = build] = await store.builds('sales');
      await store.save([changes(current, 1, stored('a', 1, sale('a', { tags: ['t0', 'x'] })))]);
      const steps = [
        sale('a', { tags: ['t1'] }),
        sale('a', { tags: ['t1'], status: 'approved' }),
        sale('a', { tags: ['t1'], created_at: '2027' }),
        sale('a'),
        sale('a', { tags: ['t2'] }),
        null,
        sale('a', { tags: ['t3'] }),
      ];
      for (const [n, document] of steps.entries()) {
        const changed = madeFrom(n + 1, stored('a', n + 2, document));
        await store.save([changes(current, n + 2, changed)]);
        if (state === 'building') continue;
        const tags = (document?.['tags'] ?? []) as readonly string[];
        for (const tag of ['t0', 'x', 't1', 't2', 't3'])
          expect(await tagged(store, tag)).toEqual(tags.includes(tag) ? ['a'] : []);
      }
      await store.goLive(build);
      expect(await tagged(store, 't3')).toEqual(['a']);
      expect(await tagged(store, 't2')).toEqual([]);
    });

    it('leaves the texts of a document that a late save does not replace', async () => {
      const { store, build } = await given(sale('a', { tags: ['red'] }));
      await store.save([
        changes(build, 5, madeFrom(1, stored('a', 5, sale('a', { tags: ['new'] })))),
      ]);
      expect(
        await store.save([changes(build, 4, stored('a', 4, sale('a', { tags: ['late'] })))]),
      ).toBe(false);
      expect(await tagged(store, 'late')).toEqual([]);
      expect(await tagged(store, 'new')).toEqual(['a']);
    });

    it('has every document of a large build, and goes with it', async () => {
      const documents = Array.from({ length: bulkSize }, (_, n) =>
        sale(`sale-${n}`, { tags: ['all', `tag-${n}`] }),
      );
      const { store, build } = await given(...documents);
      expect(await tagged(store, 'all', { limit: 1000 })).toHaveLength(1000);
      expect(await tagged(store, `tag-${bulkSize - 1}`)).toEqual([`sale-${bulkSize - 1}`]);
      await store.dropBuild(build);
      const again = await store.createBuild(sales, logId, 'first');
      await saved(store, again, [sale('b', { tags: ['all'] })]);
      await store.goLive(again);
      expect(await tagged(store, 'all')).toEqual(['b']);
    });

    it('rejects values that are no list of texts, and queries that it does not serve', async () => {
      const { store, build } = await given(sale('a', { tags: ['red'] }));
      for (const tags of ['red', [1], { red: true }])
        await expect(
          store.save([changes(build, 2, stored('b', 2, sale('b', { tags })))]),
        ).rejects.toMatchObject({ kind: 'unstorable' });
      await expect(tagged(store, 'red', { id: 'a' })).rejects.toThrow(TypeError);
      const order = { fields: ['amount', 'id'], descending: false };
      await expect(tagged(store, 'red', { order })).rejects.toThrow(TypeError);
    });
  });
};
