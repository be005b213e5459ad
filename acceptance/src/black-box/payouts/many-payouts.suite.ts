/// <reference types="jest" />
import { eventually, type Payout, scaledTimeout, type ServiceFactory } from '@refledger/testing';
import { OwingAccount } from './owing-account.js';
import { counts, imported, ndjson } from './sent-import.js';

/** Tests marking this many payouts, a multiple of 20, with one request. */
export const manyPayoutsSuite = (service: ServiceFactory, count: number): void => {
  it(
    `marks ${count} payouts with one file, and changes nothing when it is sent again`,
    async () => {
      const owing = await OwingAccount.open(await service());
      const payouts = await payoutsOf(owing, count);
      const file = ndjson(payouts.map(({ id }, n) => ({ payout_id: id, ...markOf(n) })));
      const results = (how: 'updated' | 'replayed'): unknown =>
        payouts.map(({ id }, n) => ({ line: n + 1, status: 200, id, [how]: true }));

      const first = await imported(owing.api, file);
      expect(first.results).toEqual(results('updated'));
      expect(first.end).toMatchObject(counts({ lines: count, updated: count }));
      const all = await eventually(async () => {
        const listed = await owing.account.all<Payout>('/v1/payouts');
        const byId = new Map(listed.map((payout) => [payout.id, payout]));
        for (const [n, { id }] of payouts.entries())
          expect(byId.get(id)).toMatchObject({ ...markOf(n), revision: 1 });
        return listed;
      });

      const again = await imported(owing.api, file);
      expect(again.results).toEqual(results('replayed'));
      expect(again.end).toMatchObject(counts({ lines: count, replayed: count }));
      expect(await owing.account.all('/v1/payouts')).toEqual(all);
    },
    scaledTimeout(120_000),
  );
};

/** A balance has at most 100 payouts that have not ended. */
const payoutsOf = async (owing: OwingAccount, count: number): Promise<Payout[]> => {
  const made = await Promise.all(
    Array.from({ length: 20 }, async () => {
      const affiliate = await owing.payee();
      const payouts: Payout[] = [];
      for (let n = 0; n < count / 20; n++) {
        await owing.owe(affiliate, 100);
        payouts.push(await owing.paid(affiliate));
      }
      return payouts;
    }),
  );
  return made.flat();
};

const markOf = (n: number): object =>
  n % 10 === 0
    ? { status: 'failed', reason: `account ${n} is closed` }
    : { status: 'completed', reference: `PP-${n}` };
