/// <reference types="jest" />
import {
  type Affiliate,
  type ApiClient,
  type Balance,
  type Conversion,
  type DistributedService,
  type Erasure,
  eventually,
  expectStatus,
} from '@refledger/testing';
import { OwingAccount } from '../black-box/payouts/owing-account.js';

/** Tests that erasures finish and the books stay, while services are killed with requests in flight. */
export const killedWhileErasingSuite = (start: () => Promise<DistributedService>): void =>
  describe('services that are killed while affiliates are erased', () => {
    it('finish every erasure, and show the same books of everyone', async () => {
      const service = await start();
      const owing = await OwingAccount.open(service);
      const [other, ...erased] = await Promise.all(Array.from({ length: 7 }, () => newPaid(owing)));
      const { api } = owing;
      const as_of = (await api.get('/v1/affiliates')).header('refledger-position') ?? '';
      await service.caughtUp();
      const before = await booksOf(owing, as_of);
      expect(before).toHaveLength(7);

      for (const role of ['gateway', 'ledger', 'projector']) {
        const ids = erased.splice(0, 2).map(({ id }) => id);
        const killed = service.roles.find((each) => each.role === role);
        const requests = ids.map((id) => erase(api, id));
        await Promise.all([killed?.kill(), Promise.allSettled(requests)]);
        await killed?.start();
        for (const id of ids)
          await eventually(
            async () =>
              expect((await erase(api, id)).body).toMatchObject({ id, status: 'finished' }),
            { timeoutMs: 60_000 },
          );
      }

      await service.ready();
      await service.caughtUp();
      expect(await owing.account.all<Affiliate>('/v1/affiliates')).toEqual([other]);
      expect(await owing.account.all<Erasure>('/v1/erasures')).toHaveLength(6);
      expect(await booksOf(owing, as_of)).toEqual(before);
    });
  });

const erase = (api: ApiClient, id: string) =>
  api.post<Erasure>(`/v1/affiliates/${id}/erase`, undefined);

/** An affiliate that was paid for adjustments, and is owed for more and for a sale. */
const newPaid = async (owing: OwingAccount): Promise<Affiliate> => {
  const affiliate = await owing.owed(5_000);
  await owing.account.update(await owing.paid(affiliate), { status: 'completed' });
  await owing.owe(affiliate, 700);
  const sale = await owing.account.conversion(affiliate.id);
  await owing.account.update(sale, { status: 'approved' });
  return affiliate;
};

/** What responses show of each balance: its sums and chain, lines, payouts, sales and statement. */
const booksOf = async ({ account, api }: OwingAccount, as_of: string): Promise<unknown[]> => {
  const balances = await account.all<Balance>('/v1/balances', { sort: 'created_at' });
  return Promise.all(
    balances.map(async ({ id, affiliate_id }) => {
      const sales = await account.all<Conversion>('/v1/conversions', { affiliate_id });
      const path = `/v1/balances/${id}`;
      const read = async <T>(from: string, query: Readonly<Record<string, string>> = {}) =>
        expectStatus(200, await api.get<T>(from, { query }));
      return {
        now: sumsOf(await read<Balance>(path)),
        then: sumsOf(await read<Balance>(path, { as_of })),
        entries: await account.all('/v1/entries', { affiliate_id, sort: 'position' }),
        payouts: await account.all('/v1/payouts', { affiliate_id }),
        sales,
        salesThen: await Promise.all(
          sales.map((sale) => read(`/v1/conversions/${sale.id}`, { as_of })),
        ),
        statement: await read(`${path}/statement`, { month: new Date().toISOString().slice(0, 7) }),
      };
    }),
  );
};

/** Whether it is paid depends on the affiliate, and `position` is where the log ends. */
const sumsOf = ({ eligible: _, not_eligible: __, position: ___, ...sums }: Balance): object => sums;
