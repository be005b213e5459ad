/// <reference types="jest" />
import {
  type Affiliate,
  type ApiResponse,
  type Payout,
  expectStatus,
  type ServiceFactory,
  TestAccount,
  unknownId,
} from '@refledger/testing';
import { daysAfter } from '../days-after.js';
import { expectIssues, expectProblem } from '../expect-problem.js';
import { itReads } from '../it-reads.js';
import { OwingAccount } from './owing-account.js';

/** Tests which requests for payouts are refused, and who has access to payouts. */
export const payoutRefusalsSuite = (service: ServiceFactory): void => {
  const withReads = itReads(service);
  const inDays = (days: number): string => daysAfter(new Date().toISOString(), days);

  describe('the request for a payout', () => {
    let owing: OwingAccount;
    let affiliate: Affiliate;
    beforeAll(async () => {
      owing = await OwingAccount.open(await service(), { minimum_payout: { EUR: 5_000 } });
      affiliate = await owing.owed(500);
    });
    const post = (over: object = {}): Promise<ApiResponse<Payout>> => owing.pay(affiliate, over);

    withReads('needs an affiliate and a currency', async () => {
      expectIssues(await owing.api.post('/v1/payouts', {}), 'validation_failed', [
        '/affiliate_id',
        '/currency',
      ]);
    });

    it.each<[object, string]>([
      [{ affiliate_id: '' }, '/affiliate_id'],
      [{ currency: 'XXX' }, '/currency'],
      [{ currency: null }, '/currency'],
      [{ until: '2026-02-30' }, '/until'],
      [{ until: '2026-01-31T00:00:00Z' }, '/until'],
      [{ until: null }, '/until'],
      [{ ignore_minimum: 'yes' }, '/ignore_minimum'],
      [{ partial: 1 }, '/partial'],
      [{ even_if_not_approved: null }, '/even_if_not_approved'],
      [{ description: 'x'.repeat(501) }, '/description'],
      [{ description: 'a\nb' }, '/description'],
      [{ metadata: { k: 1 } }, '/metadata/k'],
    ])('is refused with %j', async (over, path) =>
      expectIssues(await post(over), 'validation_failed', [path]),
    );

    withReads('is refused with unknown fields', async () => {
      for (const field of ['amount', 'status', 'reference', 'run_id', 'entry_ids', 'untill'])
        expectIssues(await post({ [field]: 'x' }), 'unknown_field', [`/${field}`]);
    });

    withReads('is refused for a future day, whoever it is for', async () => {
      for (const over of [{}, { affiliate_id: unknownId('aff') }, { currency: 'JPY' }])
        // not the next day, in case a day starts in between
        expectIssues(await post({ ...over, until: inDays(2) }), 'validation_failed', ['/until']);
    });

    withReads('can be in a withdrawn currency, or in gold, which older records have', async () => {
      for (const currency of ['bgn', 'DEM', 'XAU', 'xdr']) {
        expectProblem(await post({ currency }), 409, 'nothing_payable');
        const preview = await owing.api.post('/v1/payout-runs', { currency, preview: true });
        expect([currency, preview.status, preview.body]).toMatchObject([
          currency,
          200,
          { totals: [] },
        ]);
        for (const list of ['payouts', 'balances', 'entries', 'adjustments'])
          expect(await owing.account.all(`/v1/${list}`, { currency })).toEqual([]);
      }
    });

    withReads('is refused for an affiliate that the account does not know', async () => {
      const stranger = await (await TestAccount.open(await service())).affiliate();
      for (const affiliate_id of [unknownId('aff'), 'aff_', unknownId('conv'), stranger.id])
        for (const over of [{}, { even_if_not_approved: true }])
          expectProblem(await post({ affiliate_id, ...over }), 422, 'affiliate_not_found');
    });

    withReads('is refused unless the affiliate is approved, or that is waived', async () => {
      const waived = { even_if_not_approved: true };
      for (const status of ['pending', 'rejected', 'suspended', 'deleted']) {
        const ada = await owing.account.affiliate({ program_id: owing.program.id });
        await owing.owe(ada, 500);
        if (status === 'deleted')
          expectStatus(204, await owing.api.delete(`/v1/affiliates/${ada.id}`));
        else if (status === 'suspended')
          for (const next of ['approved', status])
            await owing.account.update(ada, { status: next });
        else if (status === 'rejected') await owing.account.update(ada, { status });
        const { detail } = expectProblem(await owing.pay(ada), 422, 'affiliate_not_active');
        expect(detail).toContain(status);
        expect(await owing.paid(ada, waived)).toMatchObject({ affiliate_id: ada.id, amount: 500 });
        expectProblem(await owing.pay(ada, waived), 409, 'nothing_payable');
      }
    });

    withReads('is refused while the affiliate is on hold, even if all else is waived', async () => {
      const ada = await owing.owed(500);
      await owing.account.update(ada, { payout_hold: true });
      for (const over of [{}, { even_if_not_approved: true, ignore_minimum: true }])
        expectProblem(await owing.pay(ada, over), 409, 'payout_hold');
      await owing.account.update(ada, { payout_hold: false });
      expect((await owing.paid(ada)).amount).toBe(500);
    });

    withReads('is refused when nothing is payable, giving the sum and the next date', async () => {
      const ada = await owing.payee();
      const refused = async (over: object = {}): Promise<unknown[]> => {
        const problem = expectProblem(await owing.pay(ada, over), 409, 'nothing_payable');
        return [problem.payable, problem.next_payable_on];
      };
      expect(await refused()).toEqual([0, null]);
      await owing.owe(ada, -300);
      expect(await refused({ ignore_minimum: true })).toEqual([-300, null]);
      await owing.owe(ada, 300);
      expect(await refused()).toEqual([0, null]);
      const [later, latest] = [inDays(10), inDays(20)];
      await owing.owe(ada, 70, { payable_on: latest });
      await owing.owe(ada, 5, { payable_on: later });
      expect(await refused()).toEqual([0, later]);
      const yesterday = inDays(-1);
      await owing.owe(ada, 1);
      expect((await refused({ until: yesterday })).at(0)).toBe(0);
      expect((await owing.paid(ada)).amount).toBe(1);
      expect(await refused()).toEqual([0, later]);
    });

    withReads('is refused below the minimum of its currency, unless that is ignored', async () => {
      const ada = await owing.payee();
      const eur = { currency: 'EUR' };
      await owing.owe(ada, 4_999, eur);
      const problem = expectProblem(await owing.pay(ada, eur), 409, 'below_minimum');
      expect(problem).toMatchObject({ payable: 4_999, minimum: 5_000, next_payable_on: null });
      expect(problem.detail).toContain('4999 minor units of EUR');
      const payable_on = inDays(10);
      await owing.owe(ada, 1, { ...eur, payable_on });
      expect(expectProblem(await owing.pay(ada, eur), 409, 'below_minimum').next_payable_on).toBe(
        payable_on,
      );
      await owing.owe(ada, 1, eur);
      expect((await owing.paid(ada, eur)).amount).toBe(5_000);
      await owing.owe(ada, 1, eur);
      expect((await owing.paid(ada, { ...eur, ignore_minimum: true })).amount).toBe(1);
      await owing.owe(ada, 1);
      // a currency without a minimum
      expect((await owing.paid(ada)).amount).toBe(1);
    });

    withReads('is decided by the minimum and the status that were just set', async () => {
      for (let round = 0; round < 5; round++) {
        const ada = await owing.owed(500);
        await owing.account.update(owing.program, { minimum_payout: { USD: 501 } });
        expectProblem(await owing.pay(ada), 409, 'below_minimum');
        await owing.account.update(ada, { status: 'suspended' });
        expectProblem(await owing.pay(ada), 422, 'affiliate_not_active');
        await owing.account.update(ada, { status: 'approved' });
        await owing.account.update(owing.program, { minimum_payout: { EUR: 5_000 } });
        expect((await owing.paid(ada)).amount).toBe(500);
      }
    });
  });

  describe('access to payouts', () => {
    let owing: OwingAccount;
    let payout: Payout;
    beforeAll(async () => {
      owing = await OwingAccount.open(await service());
      payout = await owing.paid(await owing.owed(500));
    });

    withReads('needs a key of scope admin to write, but not to read', async () => {
      const ada = await owing.owed(500);
      for (const scope of ['write', 'read'] as const) {
        const client = await owing.account.withScope(scope);
        for (const refused of [
          await client.post('/v1/payouts', { affiliate_id: ada.id, currency: 'USD' }),
          await client.post('/v1/payouts', {}),
          await client.patch(`/v1/payouts/${payout.id}`, { status: 'completed' }),
          await client.patch(`/v1/payouts/${unknownId('pay')}`, { metadata: {} }),
        ])
          expectProblem(refused, 403, 'insufficient_scope');
        for (const path of ['', `/${payout.id}`, `/${payout.id}/entries`, `/${payout.id}/history`])
          expectStatus(200, await client.get(`/v1/payouts${path}`));
      }
      expect(await owing.payout(payout.id)).toEqual(payout);
      expect(await owing.balance(ada)).toMatchObject({ payable: 500, in_payout: 0 });
    });

    withReads(
      'of another account fails as if the payout did not exist, on every path',
      async () => {
        const stranger = (await TestAccount.open(await service())).api;
        const ways: readonly ((id: string) => Promise<ApiResponse>)[] = [
          (id) => stranger.get(`/v1/payouts/${id}`),
          (id) => stranger.get(`/v1/payouts/${id}`, { query: { as_of: '1' } }),
          (id) => stranger.get(`/v1/payouts/${id}/entries`),
          (id) => stranger.get(`/v1/payouts/${id}/entries`, { query: { limit: 1 } }),
          (id) => stranger.get(`/v1/payouts/${id}/history`),
          (id) => stranger.patch(`/v1/payouts/${id}`, { status: 'completed' }),
          (id) => stranger.patch(`/v1/payouts/${id}`, { metadata: {} }, ifMatch),
        ];
        const ifMatch = { headers: { 'if-match': '"9"' } };
        for (const way of ways) {
          const details = [payout.id, unknownId('pay')].map(async (id) =>
            expectProblem(await way(id), 404, 'not_found').detail.replaceAll(id, 'ID'),
          );
          expect(new Set(await Promise.all(details)).size).toBe(1);
          expectProblem(await way('pay_1'), 404, 'not_found');
        }
        expect(await owing.payout(payout.id)).toEqual(payout);
      },
    );

    withReads('of a deleted affiliate remains possible', async () => {
      const ada = await owing.owed(500);
      const made = await owing.paid(ada);
      expectStatus(204, await owing.api.delete(`/v1/affiliates/${ada.id}`));
      expect(await owing.payout(made.id)).toEqual(made);
      expect(await owing.lines(made)).toMatchObject([{ amount: 500 }]);
      const completed = await owing.account.update(made, { status: 'completed' });
      const listed = await owing.account.all('/v1/payouts', { affiliate_id: ada.id });
      expect(listed).toEqual([completed]);
      expect(await owing.balance(ada)).toMatchObject({ payable: 0, paid: 500 });
    });

    withReads('never reflects a position before the one that was asked for', async () => {
      const headers = { 'refledger-min-position': '9007199254740991' };
      const impatient = await owing.account.atGateway(await (await service()).impatient());
      const response = await impatient.api.get(`/v1/payouts/${payout.id}/entries`, { headers });
      expectProblem(response, 503, 'ledger_behind');
    });
  });
};
