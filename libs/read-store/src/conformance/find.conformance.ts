/// <reference types="jest" />
import * as fc from 'fast-check';
import { toJson } from '@refledger/contracts';
import type { Document, Query, ReadStore, StoredDocument } from '../read-store.js';
import { changes, checkpoint, logId, newest, madeFrom, sale, sales, stored } from './fixtures.js';
import { expectEachOnce } from './expect-each-once.js';
import type { OpenStore } from './open-store.js';

export const findConformance = (open: OpenStore): void => {
  describe('get and find', () => {
    const given = async (...documents: readonly (Document | null)[]): Promise<ReadStore> => {
      const store = await open();
      const build = await store.createBuild(sales, logId, 'first');
      await store.save([
        changes(
          build,
          documents.length,
          ...documents.map((document, i) =>
            stored((document?.['id'] ?? `gone-${i}`) as string, i + 1, document),
          ),
        ),
      ]);
      await store.goLive(build);
      return store;
    };
    const idsOf = (documents: readonly Document[]) => documents.map(({ id }) => id);
    const found = async (store: ReadStore, query: Query) =>
      idsOf((await store.find(sales, logId, 'sales', query)).value);

    it('omits tombstones', async () => {
      const store = await given(sale('a'), null);

      expect(await store.find(sales, logId, 'sales', newest)).toEqual({
        value: [sale('a')],
        position: '2',
      });
      expect(await store.get(sales, logId, 'sales', 'gone-1')).toEqual({
        value: undefined,
        position: '2',
      });
      expect(await store.get(sales, logId, 'sales', 'never')).toEqual({
        value: undefined,
        position: '2',
      });
    });

    it('finds the records of the same documents as text', async () => {
      const records = [
        { id: 'b', status: 'þ"🎉', nested: { of: [1, null, 2n ** 53n + 1n] } },
        { id: 'a', status: 'pending' },
      ];
      const { account_id, created_at } = sale('any');
      const documents = records.map((record) => ({ account_id, created_at, since: 1, record }));
      const store = await open();
      const build = await store.createBuild(sales, logId, 'first');
      await store.save([
        changes(build, 3, ...documents.map((each, i) => stored(each.record.id, i + 1, each))),
      ]);
      await store.goLive(build);
      const found = async (query: Query) => {
        const { value } = await store.findJson(sales, logId, 'sales', query);
        expect((await store.find(sales, logId, 'sales', query)).value).toEqual(
          documents.filter(({ record }) => value.text.includes(toJson(record))),
        );
        return value;
      };

      expect(await found(newest)).toEqual({
        count: 2,
        text: records.map((record) => toJson(record)).join('\n'),
      });
      expect(
        await found({
          ...newest,
          where: [...newest.where, { field: 'status', equals: 'pending' }],
        }),
      ).toEqual({ count: 1, text: toJson(records[1]) });
      expect(
        await found({ ...newest, where: [{ field: 'account_id', equals: 'nobody' }] }),
      ).toEqual({ count: 0, text: '' });
      expect((await store.get(sales, logId, 'sales', 'a')).value).toEqual(documents[1]);
      expect(await store.load(build, 'sales', ['a'])).toEqual([stored('a', 2, documents[1])]);
      for await (const page of store.scan(build, 'sales'))
        expect(page.documents.map(({ document }) => document)).toEqual(documents.toReversed());
    });

    it('filters by equality with text, numbers, booleans and null', async () => {
      const store = await given(
        sale('a', { paid: true }),
        sale('b', { paid: null }),
        sale('c', { status: 'approved' }),
        sale('d', { account_id: 'acct_2' }),
        sale('e', { paid: undefined }),
      );
      const with_ = (field: string, equals: string | boolean | null): Query => ({
        ...newest,
        where: [...newest.where, { field, equals }],
      });

      expect(await found(store, with_('status', 'approved'))).toEqual(['c']);
      expect(await found(store, with_('paid', true))).toEqual(['a']);
      expect(await found(store, with_('paid', null))).toEqual(['e', 'b']);
      expect(
        await found(store, {
          where: [
            { field: 'account_id', equals: 'acct_1' },
            { field: 'paid', equals: false },
            { field: 'amount', equals: 1 },
          ],
          order: { fields: ['amount', 'id'], descending: false },
          limit: 9,
        }),
      ).toEqual(['c']);
    });

    it('finds a document by id alone, if it matches the filters and comes after the cursor', async () => {
      const store = await given(
        sale('a', { paid: true }),
        sale('b', { account_id: 'acct_2' }),
        null,
      );
      const only = (id: string, more: Partial<Query> = {}, ...filters: Query['where']) =>
        found(store, { ...newest, ...more, id, where: [...newest.where, ...filters] });

      expect(await only('a')).toEqual(['a']);
      expect(
        await only(
          'a',
          {},
          { field: 'paid', equals: true },
          { field: 'amount', equals: 1 },
          { field: 'created_at', after: '2025' },
        ),
      ).toEqual(['a']);
      expect(await only('a', {}, { field: 'paid', equals: null })).toEqual([]);
      expect(await only('a', {}, { field: 'created_at', before: '2026' })).toEqual([]);
      expect(await only('a', { after: ['2026-01-01T00:00:00.000Z', 'b'] })).toEqual(['a']);
      expect(await only('a', { after: ['2026-01-01T00:00:00.000Z', 'a'] })).toEqual([]);
      expect(await only('b')).toEqual([]);
      expect(await only('gone-2')).toEqual([]);
      expect(await only('never')).toEqual([]);
      await expect(only('a', {}, { field: 'note', equals: 'x' })).rejects.toThrow(TypeError);
    });

    it('filters by ranges that exclude their bounds', async () => {
      const store = await given(
        ...[1, 2, 3, 10].map((amount) => sale(`s${amount}`, { paid: true, amount })),
      );
      const salesBetween = (after?: number, before?: number): Query => ({
        where: [
          { field: 'account_id', equals: 'acct_1' },
          { field: 'paid', equals: true },
          {
            field: 'amount',
            ...(after !== undefined && { after }),
            ...(before !== undefined && { before }),
          },
        ],
        order: { fields: ['amount', 'id'], descending: false },
        limit: 9,
      });

      expect(await found(store, salesBetween(1, 10))).toEqual(['s2', 's3']);
      expect(await found(store, salesBetween(2))).toEqual(['s3', 's10']);
      expect(await found(store, salesBetween(undefined, 2))).toEqual(['s1']);
    });

    it('orders both ways and stops at the limit', async () => {
      const store = await given(
        sale('b'),
        sale('a'),
        sale('c', { created_at: '2025-12-31T00:00:00.000Z' }),
      );

      expect(await found(store, newest)).toEqual(['b', 'a', 'c']);
      expect(
        await found(store, { ...newest, order: { ...newest.order, descending: false }, limit: 2 }),
      ).toEqual(['c', 'a']);
    });

    it('continues after a cursor within the bounds, and keeps the bounds if the cursor is outside', async () => {
      const store = await given(
        ...[1, 2, 3, 4, 5].map((minute) =>
          sale(`s${minute}`, { created_at: `2026-01-01T00:0${minute}:00.000Z` }),
        ),
      );
      const minute = (n: number) => `2026-01-01T00:0${n}:00.000Z`;
      const page = (
        descending: boolean,
        from: number,
        bounds: { after?: string; before?: string },
      ) =>
        found(store, {
          ...newest,
          where: [...newest.where, { field: 'created_at', ...bounds }],
          order: { ...newest.order, descending },
          after: [minute(from), `s${from}`],
        });

      expect(await page(true, 4, { before: minute(5) })).toEqual(['s3', 's2', 's1']);
      expect(await page(true, 4, { after: minute(1), before: minute(5) })).toEqual(['s3', 's2']);
      expect(await page(false, 2, { after: minute(1) })).toEqual(['s3', 's4', 's5']);
      expect(await page(false, 2, { after: minute(1), before: minute(5) })).toEqual(['s3', 's4']);
      expect(await page(true, 5, { before: minute(3) })).toEqual(['s2', 's1']);
      expect(await page(false, 1, { after: minute(3) })).toEqual(['s4', 's5']);
      expect(
        await found(store, {
          ...newest,
          where: [...newest.where, { field: 'created_at', before: minute(3) }],
          after: [minute(3), 's9'],
        }),
      ).toEqual(['s2', 's1']);
    });

    it('rejects queries that no index serves', async () => {
      const store = await given(sale('a'));
      const refused = async (query: Query) =>
        expect(store.find(sales, logId, 'sales', query)).rejects.toThrow(TypeError);

      await refused({ ...newest, where: [{ field: 'note', equals: 'x' }] });
      await refused({ ...newest, order: { fields: ['note', 'id'], descending: true } });
      await refused({ ...newest, where: [] });
      await refused({ ...newest, limit: 0 });
      await refused({ ...newest, limit: 1001 });
      await expect(store.find(sales, logId, 'purchases', newest)).rejects.toThrow(TypeError);
    });

    it('pages show exactly once every document that persists, while others are written', async () => {
      await fc.assert(
        fc.asyncProperty(
          fc.array(fc.nat(9), { minLength: 1, maxLength: 30 }),
          fc.integer({ min: 1, max: 7 }),
          fc.boolean(),
          (minutes, limit, descending) => expectEachOnce(open, minutes, { limit, descending }),
        ),
        { numRuns: 25 },
      );
    });

    const status = fc.constantFrom('pending', 'approved', 'gone');
    const paid = fc.constantFrom(true, false, null);
    const payout_id = fc.constantFrom('pay_1', 'pay_2', null);
    const minute = fc.nat(5).map((n) => `2026-01-01T00:0${n}:00.000Z`);
    const document = fc.record({
      account_id: fc.constantFrom('acct_1', 'acct_2'),
      status,
      paid,
      payout_id,
      created_at: minute,
    });
    const filters = fc.record(
      { status, paid, payout_id, after: minute, before: minute },
      { requiredKeys: [] },
    );
    const equalFields = ['status', 'paid', 'payout_id'] as const;

    it('finds the right documents for any filters, order and cursor', async () => {
      const store = await open();
      let run = 0;
      await fc.assert(
        fc.asyncProperty(
          fc.array(document, { maxLength: 25 }),
          fc.record({
            wanted: filters,
            place: fc.option(fc.tuple(minute, fc.nat(25)), { nil: undefined }),
            descending: fc.boolean(),
            limit: fc.integer({ min: 1, max: 30 }),
          }),
          async (fields, { wanted, place, descending, limit }) => {
            const there = fields.map((of, i) => sale(`s${String(i).padStart(2, '0')}`, of));
            const build = await store.createBuild(sales, logId, `run ${run++}`);
            await store.save([
              changes(build, 100, ...there.map((of, i) => stored(of['id'] as string, i + 1, of))),
            ]);
            await store.goLive(build);
            const equalities = equalFields.flatMap((field) =>
              wanted[field] === undefined ? [] : [{ field, equals: wanted[field] }],
            );
            const range = {
              field: 'created_at',
              ...(wanted.after !== undefined && { after: wanted.after }),
              ...(wanted.before !== undefined && { before: wanted.before }),
            };
            const after = place && [place[0], `s${String(place[1]).padStart(2, '0')}`];

            const seen = await found(store, {
              where: [...newest.where, ...equalities, range],
              order: { ...newest.order, descending },
              limit,
              ...(after && { after }),
            });

            const keyOf = (of: Document) => `${of['created_at'] as string} ${of['id'] as string}`;
            const from = after?.join(' ');
            const matching = there.filter(
              (of) =>
                of['account_id'] === 'acct_1' &&
                equalFields.every(
                  (field) => wanted[field] === undefined || of[field] === wanted[field],
                ) &&
                (wanted.after === undefined || (of['created_at'] as string) > wanted.after) &&
                (wanted.before === undefined || (of['created_at'] as string) < wanted.before) &&
                (from === undefined || (descending ? keyOf(of) < from : keyOf(of) > from)),
            );
            const inOrder = matching.sort((a, b) => (keyOf(a) < keyOf(b) === descending ? 1 : -1));
            expect(seen).toEqual(idsOf(inOrder.slice(0, limit)));
            await store.dropBuild(build);
          },
        ),
        { numRuns: 150 },
      );
    });

    it('scans every document, as of one instant if the store supports it, despite concurrent writes', async () => {
      const store = await open();
      const build = await store.createBuild(sales, logId, 'first');
      const ids = Array.from({ length: 1200 }, (_, i) => `s${String(i).padStart(4, '0')}`);
      await store.save([
        changes(build, 1200, ...ids.map((id, i) => stored(id, i + 1, i === 7 ? null : sale(id)))),
      ]);

      const seen: StoredDocument[] = [];
      for await (const page of store.scan(build, 'sales')) {
        if (seen.length === 0)
          await store.save([
            changes(build, 1300, madeFrom(1200, stored('s1199', 1300, null)), stored('t', 1299)),
          ]);
        seen.push(...page.documents);
        expect(page.checkpoint).toEqual(checkpoint(1200));
      }

      expect(
        seen
          .filter(({ position }) => Number(position) <= 1200)
          .slice(0, 1198)
          .map(({ id }) => id),
      ).toEqual(ids.filter((_, i) => i !== 7 && i !== 1199));
      if (store.capabilities.instantScans) expect(seen.at(-1)?.id).toBe('s1199');
      else expect(seen.slice(1198).every(({ position }) => Number(position) > 1200)).toBe(true);
    });

    it('reports a dropped build instead of scanning nothing', async () => {
      const store = await open();
      const build = await store.createBuild(sales, logId, 'first');
      await store.dropBuild(build);
      await expect(store.scan(build, 'sales')[Symbol.asyncIterator]().next()).rejects.toMatchObject(
        { name: 'BuildNotFoundError' },
      );
    });
  });
};
