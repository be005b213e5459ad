/// <reference types="jest" />
import type { Document, Query, ReadStore } from '../read-store.js';
import { changes, logId, newest, madeFrom, sale, sales, stored } from './fixtures.js';
import type { OpenStore } from './open-store.js';

/** Tests an index that omits the documents without a value of its sparse field. */
export const sparseConformance = (open: OpenStore): void => {
  describe('sparse indexes', () => {
    const given = async (...documents: readonly Document[]) => {
      const store = await open();
      const build = await store.createBuild(sales, logId, 'first');
      await store.goLive(build);
      await store.save([
        changes(
          build,
          documents.length,
          ...documents.map((document, i) => stored(document['id'] as string, i + 1, document)),
        ),
      ]);
      return { store, build };
    };
    const idsOf = async (store: ReadStore, query: Query) =>
      (await store.find(sales, logId, 'sales', query)).value.map(({ id }) => id);
    const paidBy = (store: ReadStore, payout_id: string | null, ...others: Query['where']) =>
      idsOf(store, {
        ...newest,
        where: [...newest.where, { field: 'payout_id', equals: payout_id }, ...others],
      });

    it('find the documents with a value; other indexes find those without', async () => {
      const { store } = await given(
        sale('a', { payout_id: 'pay_1' }),
        sale('b'),
        sale('c', { payout_id: 'pay_2' }),
        sale('d', { payout_id: 'pay_1', status: 'approved' }),
        sale('e', { payout_id: null }),
        sale('f', { payout_id: 'pay_1', account_id: 'acct_2' }),
      );

      expect(await paidBy(store, 'pay_1')).toEqual(['d', 'a']);
      expect(await paidBy(store, 'pay_1', { field: 'status', equals: 'approved' })).toEqual(['d']);
      expect(await paidBy(store, 'pay_3')).toEqual([]);
      expect(await paidBy(store, null)).toEqual(['e', 'b']);
      expect(await idsOf(store, newest)).toEqual(['e', 'd', 'c', 'b', 'a']);
    });

    it('follow a document that gets a value, loses it and gets another', async () => {
      const { store, build } = await given(sale('a'));
      const foundWith = async (position: number, payout_id: string | null) => {
        const changed = stored('a', position, sale('a', { payout_id }));
        await store.save([changes(build, position, madeFrom(position - 1, changed))]);
        return [await paidBy(store, 'pay_1'), await paidBy(store, 'pay_2')];
      };

      expect(await foundWith(2, 'pay_1')).toEqual([['a'], []]);
      expect(await foundWith(3, null)).toEqual([[], []]);
      expect(await foundWith(4, 'pay_2')).toEqual([[], ['a']]);
    });
  });
};
