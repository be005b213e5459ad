/// <reference types="jest" />
import {
  type Affiliate,
  type AffiliateStats,
  type Change,
  type Conversion,
  day,
  eventually,
  expectStatus,
  type HookReceiver,
  type Page,
  type Payout,
  type ServiceFactory,
  signatureFaults,
  startHookReceiver,
} from '@refledger/testing';
import { expectProblem } from '../expect-problem.js';
import { OwingAccount } from './owing-account.js';

/** Tests the conversions of a payout, which show it. */
export const paidStatusSuite = (service: ServiceFactory): void => {
  describe('what follows a payout', () => {
    let owing: OwingAccount;
    let receiver: HookReceiver;
    let secret: string;
    beforeAll(async () => {
      owing = await OwingAccount.open(await service());
      receiver = await startHookReceiver();
      const kinds = ['conversion.paid', 'conversion.unpaid'];
      ({ secret } = await owing.account.subscribe(receiver.url('/'), kinds));
    });
    afterAll(() => receiver.close());

    /** Makes sales of these amounts, whose commissions of 20% are payable. */
    const sold = async (ada: Affiliate, ...amounts: readonly number[]): Promise<Conversion[]> => {
      const occurred_at = new Date(Date.now() - 60 * day).toISOString();
      const sales = [];
      for (const sale_amount of amounts) {
        const sale = await owing.account.conversion(ada.id, { sale_amount, occurred_at });
        sales.push(await owing.account.update(sale, { status: 'approved' }));
      }
      return sales;
    };
    const read = async ({ id }: Conversion): Promise<Conversion> =>
      expectStatus(200, await owing.api.get<Conversion>(`/v1/conversions/${id}`));
    /** Waits until conversions show a payout, or none. */
    const untilShown = (sales: readonly Conversion[], payout: string | null) =>
      eventually(async () => {
        const now = await Promise.all(sales.map(read));
        expect(now.map(({ payout_id }) => payout_id)).toEqual(sales.map(() => payout));
        return now;
      });
    const complete = (payout: Payout): Promise<Payout> =>
      owing.account.update(payout, { status: 'completed' });
    const fail = (payout: Payout): Promise<Payout> =>
      owing.account.update(payout, { status: 'failed', reason: 'closed' });
    const commissions = async ({ id }: Affiliate) => {
      const response = await owing.api.get<AffiliateStats>(`/v1/affiliates/${id}/stats`);
      return expectStatus(200, response).currencies[0]?.commission_amount;
    };
    const listed = (payout: Payout): Promise<Conversion[]> =>
      owing.account.all('/v1/conversions', { payout_id: payout.id, sort: 'created_at' });

    it('its conversions show it once it is completed, until the money comes back', async () => {
      const ada = await owing.payee();
      const sales = await sold(ada, 1_000, 2_000);
      const [other] = (await sold(ada, 9_000)) as [Conversion];
      await owing.account.update(other, { status: 'rejected' });
      const first = await owing.paid(ada);
      expect(await commissions(ada)).toMatchObject({ approved: 600, paid: 0, unpaid: 600 });

      await complete(first);
      const shown = await untilShown(sales, first.id);
      expect((await read(other)).payout_id).toBeNull();
      await eventually(async () => {
        expect(await listed(first)).toEqual(shown);
        expect(await commissions(ada)).toMatchObject({ approved: 600, paid: 600, unpaid: 0 });
      });

      await fail(first);
      await untilShown(sales, null);
      await eventually(async () => {
        expect(await listed(first)).toEqual([]);
        expect(await commissions(ada)).toMatchObject({ approved: 600, paid: 0, unpaid: 600 });
      });

      const second = await owing.paid(ada);
      await complete(second);
      const again = await untilShown(sales, second.id);
      await eventually(async () => expect(await listed(second)).toEqual(again));
    });

    it('webhooks and the history show when a conversion was paid, and for how long', async () => {
      const ada = await owing.payee();
      const [sale] = (await sold(ada, 4_950)) as [Conversion];
      const payouts = [await owing.paid(ada)] as [Payout];
      await complete(payouts[0]);
      await untilShown([sale], payouts[0].id);
      await fail(payouts[0]);
      await untilShown([sale], null);

      const path = `/v1/conversions/${sale.id}/history`;
      const query = { include: 'record', sort: 'revision' };
      const history = await owing.api.get<Page<Change<Conversion>>>(path, { query });
      const changes = expectStatus(200, history).data.slice(2);
      expect(changes).toMatchObject([
        {
          type: 'conversion.paid',
          actor: { type: 'system', id: 'ledger' },
          reason: null,
          changes: [{ path: '/payout_id', before: null, after: payouts[0].id }],
          record: { ...sale, payout_id: payouts[0].id, revision: 2, updated_at: changes[0]?.at },
        },
        {
          type: 'conversion.unpaid',
          changes: [{ path: '/payout_id', before: payouts[0].id, after: null }],
          record: { ...sale, revision: 3, updated_at: changes[1]?.at },
        },
      ]);
      const own = ({ envelope }: { readonly envelope: { readonly data: { id: string } } }) =>
        envelope.data.id === sale.id;
      const hooks = (await receiver.waitFor('/', (all) => all.filter(own).length === 2)).filter(
        own,
      );
      const sent = hooks.map(({ envelope: { type, position, data } }) => ({
        type,
        position,
        data,
      }));
      expect(sent.toSorted((a, b) => Number(a.position) - Number(b.position))).toEqual(
        changes.map(({ type, position, record: data }) => ({ type, position, data })),
      );
      for (const hook of hooks) expect(signatureFaults(hook, secret)).toEqual([]);
      const as_of = changes[0]?.position ?? '';
      const then = await owing.api.get(`/v1/conversions/${sale.id}`, { query: { as_of } });
      expect(expectStatus(200, then)).toEqual(changes[0]?.record);
    });

    it('an If-Match from before the payout fails, and a change keeps the payout', async () => {
      const ada = await owing.payee();
      const [sale] = (await sold(ada, 500)) as [Conversion];
      const payout = await complete(await owing.paid(ada));
      await untilShown([sale], payout.id);
      const path = `/v1/conversions/${sale.id}`;
      const patch = { refunded_amount: 100 };
      const options = { headers: { 'if-match': `"${sale.revision}"` } };
      expectProblem(await owing.api.patch(path, patch, options), 412, 'revision_mismatch');
      const changed = await owing.account.update(sale, patch);
      expect(changed).toMatchObject({ payout_id: payout.id, commission_amount: 80 });
      await eventually(async () =>
        expect(await commissions(ada)).toMatchObject({ approved: 80, paid: 80, unpaid: 0 }),
      );
      // the money that was sent stays what it was
      expect(await owing.balance(ada)).toMatchObject({ earned: 80, paid: 100, payable: -20 });
    });
  });
};
