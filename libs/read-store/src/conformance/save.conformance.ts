/// <reference types="jest" />
import { present } from '@refledger/testing/present';
import {
  StaleDocument,
  type Build,
  type Document,
  type ReadStore,
  type StoredDocument,
} from '../read-store.js';
import {
  positionOf,
  changes,
  checkpoint,
  logId,
  newest,
  madeFrom,
  sale,
  sales,
  stored,
} from './fixtures.js';
import type { OpenStore } from './open-store.js';

export const saveConformance = (open: OpenStore, bulkSize: number): void => {
  describe('save and load', () => {
    it('returns saved documents and tombstones, and omits missing ones', async () => {
      const store = await open();
      const build = await store.createBuild(sales, logId, 'first');

      await store.save([changes(build, 2, stored('a', 1), stored('b', 2, null))]);

      const loaded = await store.load(build, 'sales', ['a', 'b', 'c']);
      expect([...loaded].sort((x, y) => (x.id < y.id ? -1 : 1))).toEqual([
        stored('a', 1),
        stored('b', 2, null),
      ]);
      expect(await store.builds('sales')).toEqual(
        [{ ...build, checkpoint: checkpoint(2) }].map(
          (expected) => expect.objectContaining(expected) as unknown,
        ),
      );
    });

    it('keeps any text and any number of digits', async () => {
      const store = await open();
      const build = await store.createBuild(sales, logId, 'first');
      const document = sale('æ 🎉 "\\\' %_', {
        account_id: 'þ🎉',
        sum: '123456789012345678901234567890',
        nested: { list: [null, true, 'x\u0000y'] },
      });

      await store.save([
        changes(
          build,
          '9007199254740993',
          stored(document['id'] as string, '9007199254740993', document),
        ),
      ]);

      expect(await store.load(build, 'sales', [document['id'] as string])).toEqual([
        { id: document['id'], position: '9007199254740993', document },
      ]);
      expect((await store.builds('sales'))[0]?.checkpoint).toEqual(checkpoint('9007199254740993'));
      await store.goLive(build);
      const found = await store.find(sales, logId, 'sales', {
        where: [{ field: 'account_id', equals: 'þ🎉' }],
        order: { fields: ['created_at', 'id'], descending: false },
        limit: 1,
      });
      expect(found).toEqual({ value: [document], position: '9007199254740993' });
    });

    it('changes a document only to a later position, whichever of two writers is last', async () => {
      const [one, two] = [await open(), await open()];
      const build = await one.createBuild(sales, logId, 'first');
      const newer = stored('a', 10, sale('a', { amount: 10 }));

      expect(await two.save([changes(build, 10, newer)])).toBe(true);
      expect(
        await one.save([
          changes(build, 9, stored('a', 9, sale('a', { amount: 9 })), stored('b', 8)),
        ]),
      ).toBe(false);
      expect(await one.save([changes(build, 10, stored('a', 10, sale('a', { amount: -1 })))])).toBe(
        false,
      );
      expect(
        await one.save([
          changes(build, 10, madeFrom(10, stored('a', 10, sale('a', { amount: -1 })))),
        ]),
      ).toBe(false);
      expect(await one.save([changes(build, 11, madeFrom(8, stored('b', 11)))])).toBe(true);

      expect(await one.load(build, 'sales', ['a'])).toEqual([newer]);
      expect(await one.load(build, 'sales', ['b'])).toEqual([stored('b', 11)]);
    });

    it('never lowers a checkpoint', async () => {
      const [one, two] = [await open(), await open()];
      const build = await one.createBuild(sales, logId, 'first');

      await two.save([changes(build, 10)]);
      await one.save([changes(build, 9)]);

      expect((await one.builds('sales'))[0]?.checkpoint).toEqual(checkpoint(10));
    });

    it('compares positions as numbers', async () => {
      const store = await open();
      const build = await store.createBuild(sales, logId, 'first');
      await store.save([changes(build, 9, stored('a', 9))]);

      await store.save([changes(build, 10, madeFrom(9, stored('a', 10, null)))]);

      expect(await store.load(build, 'sales', ['a'])).toEqual([stored('a', 10, null)]);
    });

    it('finds a document by its current fields, whatever a later save changes', async () => {
      const store = await open();
      const build = await store.createBuild(sales, logId, 'first');
      await store.save([changes(build, 1, stored('a', 1), stored('b', 1))]);
      await store.goLive(build);
      const [live] = await store.builds('sales');
      const foundBy = async (field: string, equals: string | boolean | null) =>
        (
          await store.find(sales, logId, 'sales', {
            ...newest,
            where: [...newest.where, { field, equals }],
          })
        ).value.map(({ id }) => id);

      const steps: readonly (Document | null)[] = [
        sale('a', { status: 'approved' }),
        sale('a', { status: 'approved', note: 'x' }),
        sale('a', { paid: null }),
        sale('a', { status: 'gone', paid: true, created_at: '2027' }),
        null,
        sale('a'),
      ];
      for (const [n, document] of steps.entries()) {
        expect(
          await store.save([
            changes(present(live), n + 2, madeFrom(n + 1, stored('a', n + 2, document))),
          ]),
        ).toBe(true);
        expect(
          await store.save([
            changes(present(live), n + 2, stored('a', n + 2, sale('a', { status: 'late' }))),
          ]),
        ).toBe(false);

        expect(await store.load(build, 'sales', ['a'])).toEqual([stored('a', n + 2, document)]);
        for (const status of ['pending', 'approved', 'gone', 'late'])
          expect(await foundBy('status', status)).toEqual([
            ...(status === 'pending' ? ['b'] : []),
            ...(document?.['status'] === status ? ['a'] : []),
          ]);
        for (const paid of [true, false, null])
          expect(await foundBy('paid', paid)).toEqual([
            ...(paid === false ? ['b'] : []),
            ...(document !== null && document['paid'] === paid ? ['a'] : []),
          ]);
      }
    });

    it('lets two writers race, and ends in the state of the later positions', async () => {
      const [one, two] = [await open(), await open()];
      const build = await one.createBuild(sales, logId, 'first');
      const write = async (store: typeof one, step: number): Promise<void> => {
        for (let position = step; position <= 60; position += step)
          await saveOver(
            store,
            build,
            position,
            stored('a', position, sale('a', { amount: position })),
          );
      };

      await Promise.all([write(one, 2), write(two, 3)]);

      expect(await one.load(build, 'sales', ['a'])).toEqual([
        stored('a', 60, sale('a', { amount: 60 })),
      ]);
      expect((await two.builds('sales'))[0]?.checkpoint?.position).toBe(positionOf(60));
    });

    it('reports a document that can never be stored, raises no checkpoint, and continues with others', async () => {
      const store = await open();
      const build = await store.createBuild(sales, logId, 'first');
      await store.save([changes(build, 1, stored('a', 1))]);
      const bad = stored('bad', 3, sale('bad', { status: { no: 'text' } }));

      await expect(store.save([changes(build, 3, stored('b', 2), bad)])).rejects.toMatchObject({
        name: 'ReadStoreError',
        kind: 'unstorable',
      });
      expect((await store.builds('sales'))[0]?.checkpoint).toEqual(checkpoint(1));

      expect(await store.save([changes(build, 4, stored('b', 4))])).toBe(true);
      expect(await store.load(build, 'sales', ['a', 'b', 'bad'])).toEqual(
        expect.arrayContaining([stored('a', 1), stored('b', 4)]),
      );
      expect(await store.load(build, 'sales', ['bad'])).toEqual([]);
    });

    it('loads a thousand documents in one call', async () => {
      const store = await open();
      const build = await store.createBuild(sales, logId, 'first');
      const ids = Array.from({ length: 1000 }, (_, i) => `sale-${i}`);
      await store.save([changes(build, 1000, ...ids.map((id, i) => stored(id, i + 1)))]);

      const loaded = await store.load(build, 'sales', ids);

      expect(new Set(loaded.map(({ id }) => id))).toEqual(new Set(ids));
    });

    describe('of very many documents during a build', () => {
      const half = bulkSize / 2;
      const many = Array.from({ length: bulkSize }, (_, i) =>
        stored(
          `sale-${(i * 7919) % bulkSize}`,
          i + 1,
          sale(`sale-${(i * 7919) % bulkSize}`, { amount: i }),
        ),
      );
      const atHalf = many.map(({ id }, i) => stored(id, half, sale(id, { amount: -1 - i })));
      const overMany = atHalf.map((document, i) =>
        i + 1 < half ? madeFrom(i + 1, document) : document,
      );

      it('keeps them all, with the checkpoint, under the same guards', async () => {
        const [store, other] = [await open(), await open()];
        const build = await store.createBuild(sales, logId, 'first');

        expect(await store.save([changes(build, bulkSize, ...many)])).toBe(true);
        expect(await other.save([changes(build, half, ...overMany)])).toBe(false);

        const loaded = await other.load(
          build,
          'sales',
          many.map(({ id }) => id),
        );
        const expected = new Map(
          [...atHalf.filter((_, i) => i + 1 < half), ...many.slice(half - 1)].map((document) => [
            document.id,
            document,
          ]),
        );
        expect(new Map(loaded.map((document) => [document.id, document]))).toEqual(expected);
        expect((await other.builds('sales'))[0]?.checkpoint).toEqual(checkpoint(bulkSize));
      });

      it('lets them be read once it is live, and drops them', async () => {
        const [store, other] = [await open(), await open()];
        const [small, build] = [
          await store.createBuild(sales, logId, 'small'),
          await store.createBuild(sales, logId, 'first'),
        ];
        await Promise.all([
          store.save([changes(build, bulkSize, ...many)]),
          store.save([changes(small, 1, stored('a', 1))]),
        ]);
        await Promise.all([store.goLive(build), store.save([changes(small, 2, stored('b', 2))])]);

        const { value } = await other.find(sales, logId, 'sales', { ...newest, limit: 1000 });
        expect(value.map(({ id }) => id)).toEqual(
          many
            .map(({ id }) => id)
            .sort()
            .reverse()
            .slice(0, 1000),
        );
        await store.dropBuild(build);
        expect(
          (await other.builds('sales')).map(({ id, checkpoint: reached }) => [
            id,
            reached?.position,
          ]),
        ).toEqual([[small.id, '2']]);
      });

      it('fails when the build is gone, and continues with others', async () => {
        const [store, other] = [await open(), await open()];
        const [gone, kept] = [
          await store.createBuild(sales, logId, 'first'),
          await store.createBuild(sales, logId, 'second'),
        ];
        await other.dropBuild(gone);

        await expect(store.save([changes(gone, bulkSize, ...many)])).rejects.toMatchObject({
          name: 'BuildNotFoundError',
          build: { id: gone.id },
        });

        expect(await store.save([changes(kept, bulkSize, ...many)])).toBe(true);
        expect(
          await store.load(
            kept,
            'sales',
            many.map(({ id }) => id),
          ),
        ).toHaveLength(bulkSize);
      });
    });

    it('keeps everything when it is reopened', async () => {
      const before = await open();
      const build = await before.createBuild(sales, logId, 'first');
      await before.save([changes(build, 3, stored('a', 3))]);
      await before.goLive(build);
      await before.close();

      const after = await open();

      expect(await after.get(sales, logId, 'sales', 'a')).toEqual({
        value: sale('a'),
        position: '3',
      });
      expect(await after.builds('sales')).toEqual([
        expect.objectContaining({ id: build.id, state: 'live', checkpoint: checkpoint(3) }),
      ]);
    });

    it('saves several builds together, or none if one is gone', async () => {
      const store = await open();
      const [kept, gone] = [
        await store.createBuild(sales, logId, 'first'),
        await store.createBuild(sales, logId, 'second'),
      ];
      await store.dropBuild(gone);

      await expect(
        store.save([changes(kept, 1, stored('a', 1)), changes(gone, 1, stored('a', 1))]),
      ).rejects.toMatchObject({ name: 'BuildNotFoundError', build: { id: gone.id } });

      expect(await store.load(kept, 'sales', ['a'])).toEqual([]);
      expect((await store.builds('sales'))[0]?.checkpoint).toBeUndefined();
      await expect(store.load(gone, 'sales', ['a'])).rejects.toMatchObject({
        name: 'BuildNotFoundError',
      });
    });
  });
};

/** Saves over the stored document; while that is stale, loads it again and retries. */
const saveOver = async (
  store: ReadStore,
  build: Build,
  position: number,
  document: StoredDocument,
): Promise<void> => {
  for (;;) {
    const [read] = await store.load(build, 'sales', [document.id]);
    try {
      return void (await store.save([
        changes(build, position, { ...document, readPosition: read?.position }),
      ]));
    } catch (error) {
      if (!(error instanceof StaleDocument)) throw error;
    }
  }
};
