/// <reference types="jest" />
import {
  type Affiliate,
  type ApiClient,
  type Balance,
  type BalanceSummary,
  type Conversion,
  conversionBody,
  expectStatus,
  type Page,
  type Program,
  type ServiceFactory,
  TestAccount,
  unknownId,
} from '@refledger/testing';
import { awayFromMidnight } from '../away-from-midnight.js';
import { daysAfter } from '../days-after.js';
import { expectIssues, expectProblem, like } from '../expect-problem.js';
import { itReads } from '../it-reads.js';

const days = 86_400_000;

/** Tests balances as they are now, and that everything that shows money waits for the ledger. */
export const balancesSuite = (service: ServiceFactory): void => {
  describe('a balance', () => {
    let account: TestAccount;
    let api: ApiClient;
    let program: Program;
    let affiliate: Affiliate;
    const withReads = itReads(service);
    beforeEach(awayFromMidnight);
    beforeEach(async () => {
      account = await TestAccount.open(await service());
      api = account.api;
      // a sale of 50.00 earns 10.00, which is held for 30 days
      program = await account.program({
        terms: { type: 'percentage', rate_bps: 2_000, hold_days: 30 },
        conversion_approval: 'automatic',
        minimum_payout: { USD: 1_500 },
      });
      affiliate = await approved();
    });

    const approved = async (): Promise<Affiliate> =>
      account.update(await account.affiliate({ program_id: program.id }), { status: 'approved' });
    /** Reports a sale that happened this many days ago. */
    const sale = (daysAgo = 0, over: object = {}): Promise<Conversion> =>
      account.conversion(affiliate.id, {
        sale_amount: 5_000,
        occurred_at: new Date(Date.now() - daysAgo * days).toISOString(),
        ...over,
      });
    const balances = async (query: Readonly<Record<string, string>> = {}): Promise<Balance[]> => [
      ...expectStatus(200, await api.get<Page<Balance>>('/v1/balances', { query })).data,
    ];
    const only = async (): Promise<Balance> => {
      const found = await balances({ affiliate_id: affiliate.id });
      expect(found).toHaveLength(1);
      return found[0] as Balance;
    };
    const read = async (id: string, query: Readonly<Record<string, string>> = {}) =>
      expectStatus(200, await api.get<Balance>(`/v1/balances/${id}`, { query }));

    withReads('shows the same held and payable amounts everywhere', async () => {
      const [old, young] = [await sale(40), await sale(10)];
      const listed = await only();
      expect(listed).toEqual({
        id: like.id('bal'),
        object: 'balance',
        affiliate_id: affiliate.id,
        program_id: program.id,
        currency: 'USD',
        earned: 2_000,
        adjusted: 0,
        held: 1_000,
        payable: 1_000,
        in_payout: 0,
        paid: 0,
        on: daysAfter(young.created_at, 0),
        schedule: [{ payable_on: daysAfter(young.occurred_at, 30), amount: 1_000 }],
        minimum: 1_500,
        eligible: false,
        not_eligible: ['below_minimum'],
        entries: 2,
        chain: like.text(/^[0-9a-f]{64}$/),
        created_at: like.instant(),
        updated_at: like.instant(),
        position: like.text(/^\d+$/),
      });
      expect(old.payable_on <= listed.on).toBe(true);
      const ofAffiliate = await api.get<Page<Balance>>(`/v1/affiliates/${affiliate.id}/balances`);
      const position = listed.position;
      expect(expectStatus(200, ofAffiliate).data.map((one) => ({ ...one, position }))).toEqual([
        listed,
      ]);
      expect({ ...(await read(listed.id)), position }).toEqual(listed);
    });

    withReads('shows every write at once, without the client having to wait', async () => {
      let earned = 0;
      for (let n = 1; n <= 10; n++) {
        const { commission_amount } = await sale(0, { sale_amount: n * 1_000 });
        earned += commission_amount;
        const shown = n % 2 === 0 ? await only() : await read((await only()).id);
        expect([n, shown.earned, shown.entries]).toEqual([n, earned, n]);
      }
    });

    withReads('counts what is payable on a later day', async () => {
      const { occurred_at } = await sale(10);
      const { id } = await only();
      const due = daysAfter(occurred_at, 30);
      const dayBefore = await read(id, { on: daysAfter(due, -1) });
      expect(dayBefore).toMatchObject({ held: 1_000, payable: 0 });
      const onTheDay = await read(id, { on: due });
      expect(onTheDay).toMatchObject({ on: due, held: 0, payable: 1_000, schedule: [] });
      // a run today would still pay nothing
      expect(onTheDay.not_eligible).toEqual(['nothing_payable']);
      expect(await balances({ on: due })).toMatchObject([{ id, payable: 1_000 }]);
    });

    withReads('cannot be read for a day that is over, or that does not exist: 422', async () => {
      await sale();
      const { id, on } = await only();
      for (const path of [
        '/v1/balances',
        '/v1/balances/summary',
        `/v1/balances/${id}`,
        `/v1/affiliates/${affiliate.id}/balances`,
      ])
        for (const day of [daysAfter(on, -1), '2026-02-30', 'today'])
          expectIssues(await api.get(path, { query: { on: day } }), 'validation_failed', ['on']);
    });

    withReads('says why a payout run would pass it over', async () => {
      const reasons = async (): Promise<readonly string[]> => {
        const listed = await only();
        expect((await read(listed.id)).not_eligible).toEqual(listed.not_eligible);
        expect(listed.eligible).toBe(listed.not_eligible.length === 0);
        return listed.not_eligible;
      };
      await sale(1);
      expect(await reasons()).toEqual(['nothing_payable']);
      await sale(40);
      expect(await reasons()).toEqual(['below_minimum']);
      await account.update(affiliate, { payout_hold: true });
      expect(await reasons()).toEqual(['payout_hold', 'below_minimum']);
      await account.update(affiliate, { status: 'suspended' });
      expect(await reasons()).toEqual(['not_approved', 'payout_hold', 'below_minimum']);
      await sale(40).catch(() => undefined);
      await account.update(program, { minimum_payout: {} });
      await account.update(affiliate, { status: 'approved', payout_hold: false });
      expect(await reasons()).toEqual([]);
    });

    withReads('stays when its affiliate is deleted, saying it is no longer approved', async () => {
      await sale(40, { sale_amount: 10_000 });
      const { id } = await only();
      expect((await read(id)).eligible).toBe(true);
      expectStatus(204, await api.delete(`/v1/affiliates/${affiliate.id}`));
      expect(await read(id)).toMatchObject({ payable: 2_000, not_eligible: ['not_approved'] });
      expect(await balances({ affiliate_id: affiliate.id })).toMatchObject([{ id }]);
      const path = `/v1/affiliates/${affiliate.id}/balances`;
      expectProblem(await api.get(path), 404, 'not_found');
    });

    withReads('is open as long as something is owed', async () => {
      const conversion = await sale();
      const { id } = await only();
      expect(await balances({ open: 'true' })).toMatchObject([{ id }]);
      expect(await balances({ open: 'false' })).toEqual([]);
      await account.update(conversion, { status: 'refunded' });
      expect(await balances({ open: 'true' })).toEqual([]);
      expect(await balances({ open: 'false' })).toMatchObject([{ id, earned: 0, entries: 2 }]);
    });

    withReads('is one per affiliate and currency, listed and added up', async () => {
      await sale(40);
      await sale(40, { sale_currency: 'EUR' });
      const reversed = await sale(40, { sale_currency: 'JPY' });
      await account.update(reversed, { commission_amount: 0 });
      const [first, other] = [affiliate, await approved()];
      affiliate = other;
      await sale(0, { sale_amount: 1_000 });

      const currencies = async (query: Readonly<Record<string, string>>): Promise<string[]> =>
        (await balances(query)).map(({ currency }) => currency).toSorted();
      expect(await currencies({})).toEqual(['EUR', 'JPY', 'USD', 'USD']);
      expect((await balances()).map(({ created_at }) => created_at)).toEqual(
        (await balances({ sort: 'created_at' })).map(({ created_at }) => created_at).toReversed(),
      );
      expect(await currencies({ affiliate_id: first.id })).toEqual(['EUR', 'JPY', 'USD']);
      expect(await currencies({ currency: 'eur', program_id: program.id })).toEqual(['EUR']);
      expect(await currencies({ program_id: 'prog_other' })).toEqual([]);
      expect((await account.all('/v1/balances', { limit: 1 })).length).toBe(4);
      const page = await api.get<Page<Balance>>(`/v1/affiliates/${first.id}/balances`);
      expect(expectStatus(200, page)).toMatchObject({
        object: 'list',
        data: [{ currency: 'EUR' }, { currency: 'JPY' }, { currency: 'USD' }],
        has_more: false,
        next_cursor: null,
      });

      const summary = async (query: Readonly<Record<string, string>> = {}) =>
        expectStatus(200, await api.get<BalanceSummary>('/v1/balances/summary', { query }));
      const none = { held: 0, payable: 0, negative: 0, in_payout: 0 };
      expect(await summary({ program_id: program.id })).toEqual({
        object: 'balance_summary',
        on: like.text(/^\d{4}-\d\d-\d\d$/),
        currencies: [
          { ...none, currency: 'EUR', payable: 1_000, balances: 1 },
          { ...none, currency: 'USD', payable: 1_000, held: 200, balances: 2 },
        ],
        position: like.text(/^\d+$/),
      });
      expect((await summary({ program_id: 'prog_other' })).currencies).toEqual([]);
      expect((await summary({ on: '2999-01-01' })).currencies[1]).toMatchObject({
        payable: 1_200,
        held: 0,
      });
    });

    withReads('of another account gets the response for one that does not exist', async () => {
      await sale();
      const { id } = await only();
      const stranger = (await TestAccount.open(await service())).api;
      for (const [path, prefix, own] of [
        ['/v1/balances/ID', 'bal', id],
        ['/v1/balances/ID/ledger', 'bal', id],
        ['/v1/balances/ID?as_of=1', 'bal', id],
        ['/v1/affiliates/ID/balances', 'aff', affiliate.id],
        ['/v1/affiliates/ID/balances?as_of=1', 'aff', affiliate.id],
      ] as const) {
        const unknown = unknownId(prefix);
        const [theirs, none] = [
          expectProblem(await stranger.get(path.replace('ID', own)), 404, 'not_found'),
          expectProblem(await stranger.get(path.replace('ID', unknown)), 404, 'not_found'),
        ];
        expect(theirs.detail.replace(own, 'ID')).toBe(none.detail.replace(unknown, 'ID'));
      }
      for (const path of ['/v1/balances', '/v1/entries'])
        expect(
          expectStatus(
            200,
            await stranger.get<Page<unknown>>(path, { query: { affiliate_id: affiliate.id } }),
          ).data,
        ).toEqual([]);
      const summary = await stranger.get<BalanceSummary>('/v1/balances/summary');
      expect(expectStatus(200, summary).currencies).toEqual([]);
    });

    withReads('never reflects a position before the one that was asked for', async () => {
      await sale();
      const { id } = await only();
      const headers = { 'refledger-min-position': '9007199254740991' };
      const { api: impatient } = await account.atGateway(await (await service()).impatient());
      // all at the same time: if the log cannot tell where it ends, each waits until its time limit
      const responses = await Promise.all(
        [
          '/v1/balances',
          '/v1/balances/summary',
          `/v1/balances/${id}`,
          `/v1/balances/${id}/ledger`,
          `/v1/affiliates/${affiliate.id}/balances`,
          '/v1/entries',
          `/v1/entries/${unknownId('ent')}`,
        ].map((path) => impatient.get(path, { headers })),
      );
      for (const response of responses) expectProblem(response, 503, 'ledger_behind');
      const written = await api.post('/v1/conversions', conversionBody(affiliate.id));
      const position = written.header('refledger-position') ?? '';
      const shown = await api.get(`/v1/balances/${id}`, {
        headers: { 'refledger-min-position': position },
      });
      expect(Number(shown.header('refledger-position'))).toBeGreaterThanOrEqual(Number(position));
      expect(expectStatus(200, shown)).toMatchObject({ entries: 2 });
    });
  });
};
