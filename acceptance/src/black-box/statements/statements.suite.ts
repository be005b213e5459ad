/// <reference types="jest" />
import { createHash } from 'node:crypto';
import { parse } from 'csv-parse/sync';
import {
  type Adjustment,
  type Affiliate,
  ApiClient,
  type Balance,
  type Conversion,
  expectStatus,
  type LedgerLines,
  type MovableClock,
  type Payout,
  type ServiceFactory,
  type Statement,
  type StatementLine,
  type StatementSummary,
  TestAccount,
  unknownId,
} from '@refledger/testing';
import { expectIssues, expectProblem, like } from '../expect-problem.js';
import { OwingAccount } from '../payouts/owing-account.js';
import { sheetRows } from './sheet-rows.js';

/** The kinds of lines, by the sum that they belong to. */
const kindsBySum = {
  commission: ['commission'],
  correction: ['correction'],
  reversal: ['reversal'],
  adjustment: ['adjustment', 'adjustment_void'],
  paid: ['paid'],
  returned: ['returned'],
} as const;
const sums = Object.keys(kindsBySum) as readonly (keyof typeof kindsBySum)[];

/** The middle of the month that is this many months after the current one. */
const middleOf = (months: number): number => {
  const now = new Date();
  return Date.UTC(now.getUTCFullYear(), now.getUTCMonth() + months, 15);
};
const monthOf = (months: number): string => new Date(middleOf(months)).toISOString().slice(0, 7);
/** The months of the test, and one before them. */
const [before, first, second, current] = [-3, -2, -1, 0].map(monthOf) as [
  string,
  string,
  string,
  string,
];

/** Tests statements over three months. `clock` is the service's. */
export const statementsSuite = (service: ServiceFactory, clock: MovableClock): void => {
  // before the service starts, so that its log starts in the first month
  clock.startAt(middleOf(-2) - Date.now());

  describe('a statement', () => {
    let owing: OwingAccount;
    let api: ApiClient;
    let affiliate: Affiliate;
    let other: Affiliate;
    let balance: Balance;
    let sale: Conversion;
    let bonus: Adjustment;
    let payout: Payout;
    /** The statement of the first month, as it was once the month was over. */
    let kept: { readonly text: readonly string[]; readonly summary: StatementSummary };

    const pageOf = (month: string, query: object = {}, id = balance.id) =>
      api.get<Statement>(`/v1/balances/${id}/statement`, {
        query: { month, limit: 100, ...query },
      });
    const statement = async (month: string, id = balance.id): Promise<Statement> => {
      const whole = expectStatus(200, await pageOf(month, {}, id));
      expect(whole).toMatchObject({ has_more: false, next_cursor: null });
      return whole;
    };
    /** Everything that is sent about a month, byte for byte. */
    const texts = async (month: string): Promise<readonly string[]> =>
      Promise.all(
        [{}, { format: 'csv', limit: undefined }].map(
          async (query) => (await pageOf(month, query)).text,
        ),
      );
    const summary = async (month: string): Promise<StatementSummary> =>
      expectStatus(
        200,
        await api.get<StatementSummary>('/v1/statements/summary', { query: { month } }),
      );
    const approvedSale = async (by: Affiliate, over: object = {}): Promise<Conversion> =>
      owing.account.update(
        await owing.account.conversion(by.id, { sale_amount: 30_000, ...over }),
        {
          status: 'approved',
        },
      );
    const fail = (of: Payout): Promise<Payout> =>
      owing.account.update(of, { status: 'failed', reason: 'account closed' });

    beforeAll(async () => {
      owing = await OwingAccount.open(await service());
      api = owing.api;
      affiliate = await owing.payee();
      other = await owing.payee();
      sale = await approvedSale(affiliate, { external_transaction_id: '=order 1' });
      const correction = { refunded_amount: 5_000 };
      sale = await owing.account.update(sale, correction);
      bonus = await owing.owe(affiliate, 700, { description: '=1+1, "twice"' });
      const wrong = await owing.owe(affiliate, -30);
      await owing.account.update(wrong, { status: 'voided', reason: 'wrong' });
      balance = await owing.balance(affiliate);
      // what is payable today: the adjustments
      const described = { ignore_minimum: true, description: 'Bonus, for "Ada"' };
      payout = await owing.paid(affiliate, described);
      payout = await owing.account.update(payout, { status: 'completed' });
      const canceled = await owing.paid(await owing.owed(900));
      await owing.account.update(canceled, { status: 'canceled' });
      await approvedSale(other, { sale_currency: 'EUR' });
    });
    afterAll(() => clock.moveTo(0));

    it('has every line of the month, oldest first, and is not final while it runs', async () => {
      const { payable_on } = sale;
      const entry = { at: like.instant(), entry_id: like.id('ent'), payable_on };
      const ofSale = { ...entry, conversion_id: sale.id };
      const ofBonus = { ...entry, payable_on: bonus.payable_on };
      expect(await statement(first)).toEqual({
        object: 'statement',
        balance_id: balance.id,
        affiliate_id: affiliate.id,
        currency: 'USD',
        from: `${first}-01T00:00:00.000Z`,
        to: `${second}-01T00:00:00.000Z`,
        final: false,
        opening: 0,
        commission: 6_000,
        correction: -1_000,
        reversal: 0,
        adjustment: 700,
        paid: -700,
        returned: 0,
        closing: 5_000,
        chain: like.text(/^[0-9a-f]{64}$/),
        data: [
          { ...ofSale, kind: 'commission', amount: 6_000 },
          { ...ofSale, kind: 'correction', amount: -1_000 },
          {
            ...ofBonus,
            kind: 'adjustment',
            amount: 700,
            adjustment_id: bonus.id,
            description: bonus.description,
          },
          {
            ...ofBonus,
            kind: 'adjustment',
            amount: -30,
            adjustment_id: like.id('adj'),
            description: like.text(/./),
          },
          {
            ...ofBonus,
            kind: 'adjustment_void',
            amount: 30,
            adjustment_id: like.id('adj'),
            description: like.text(/./),
          },
          { at: like.instant(), kind: 'paid', amount: -700, payout_id: payout.id },
        ],
        has_more: false,
        next_cursor: null,
      } satisfies Record<keyof Statement, unknown>);
      expect((await summary(first)).final).toBe(false);
    });

    it('has the same lines in pages of any size', async () => {
      const whole = await statement(first);
      for (const limit of [1, 2, 5, 6, 7]) {
        const lines: StatementLine[] = [];
        const sizes: number[] = [];
        for (let cursor: string | null = ''; cursor !== null;) {
          const page: Statement = expectStatus(
            200,
            await pageOf(first, { limit, ...(cursor !== '' && { cursor }) }),
          );
          const { data, next_cursor, has_more, ...rest } = page;
          const { data: _, next_cursor: __, has_more: ___, ...figures } = whole;
          expect(rest).toEqual(figures);
          expect(has_more).toBe(next_cursor !== null);
          lines.push(...data);
          sizes.push(data.length);
          cursor = next_cursor;
        }
        expect(lines).toEqual(whole.data);
        expect(sizes).toHaveLength(Math.ceil(6 / limit));
      }
    });

    it('has the same lines as CSV, between what was owed, in a file that can be sent', async () => {
      const path = `/v1/balances/${balance.id}/statement`;
      const query = { month: first, format: 'csv' };
      const response = await api.get<string>(path, { query });
      const text = expectStatus(200, response);
      expect(response.header('content-type')).toBe('text/csv; charset=utf-8');
      const file = `attachment; filename="statement-${balance.id}-${first}.csv"`;
      expect(response.header('content-disposition')).toBe(file);
      expect(response.header('refledger-position')).toMatch(/^\d+$/);
      const rows = sheetRows(await statement(first), {
        affiliate_name: affiliate.name,
        program_name: owing.program.name,
        cellsOf: ({ kind, conversion_id, description = '' }) => ({
          description: kind === 'paid' ? 'Bonus, for "Ada"' : description.replace(/^=/, "'="),
          external_transaction_id: conversion_id === sale.id ? "'=order 1" : '',
        }),
      });
      expect(parse(text, { columns: true, record_delimiter: '\r\n' })).toEqual(rows);
      expect(text).toContain(`,"'=1+1, ""twice""",,`);
      expect(text.endsWith('\r\n')).toBe(true);
      expect((await api.send('HEAD', path, { query })).header('content-disposition')).toBe(file);

      const empty = await api.get<string>(path, { query: { ...query, month: before } });
      expect(expectStatus(200, empty)).toMatch(
        /^at,kind,.*\r\n.*,opening,0,.*\r\n.*,closing,0,.*\r\n$/,
      );
      const paged = await api.get(path, { query: { ...query, limit: 1, cursor: 'x' } });
      expectIssues(paged, 'validation_failed', ['limit', 'cursor']);
      expectIssues(await pageOf(first, { format: 'xls' }), 'validation_failed', ['format']);
    });

    it('has zeros before the first entry, and 422 for a month that has not started', async () => {
      const nothing = Object.fromEntries(sums.map((sum) => [sum, 0]));
      expect(await statement(before)).toMatchObject({
        ...nothing,
        opening: 0,
        closing: 0,
        final: true,
        chain: createHash('sha256').update(balance.id).digest('hex'),
        data: [],
      });
      expect((await summary(before)).currencies).toEqual([]);
      for (const month of [second, '9999-12', '2026-13', '2026-1', 'now', ''])
        for (const path of [`/v1/balances/${balance.id}/statement`, '/v1/statements/summary'])
          expectIssues(await api.get(path, { query: { month } }), 'validation_failed', ['month']);
      expectIssues(await api.get('/v1/statements/summary'), 'validation_failed', ['month']);
    });

    it('refuses a cursor of another month or balance', async () => {
      const { next_cursor: cursor } = expectStatus(200, await pageOf(first, { limit: 1 }));
      expectIssues(await pageOf(before, { cursor }), 'validation_failed', ['cursor']);
      const { id } = await owing.balance(other);
      expectIssues(await pageOf(first, { cursor }, id), 'validation_failed', ['cursor']);
    });

    it('is final once something was recorded after it, and then never changes', async () => {
      await clock.moveTo(middleOf(-1) - Date.now());
      expect((await statement(first)).final).toBe(false);
      await owing.owe(other, 1, { currency: 'EUR' });
      kept = { text: await texts(first), summary: await summary(first) };
      expect(await statement(first)).toMatchObject({ final: true, closing: 5_000 });
      expect(kept.summary.final).toBe(true);
      expect(kept.text.join()).not.toContain('not final');

      // the bank returns the payout, and the whole sale is refunded
      await fail(payout);
      await owing.account.update(sale, { status: 'refunded' });
      expect(await texts(first)).toEqual(kept.text);
      const { position, ...figures } = await summary(first);
      expect({ ...figures, position: kept.summary.position }).toEqual(kept.summary);
      expect(Number(position)).toBeGreaterThanOrEqual(Number(kept.summary.position));
      expect(await statement(second)).toMatchObject({
        final: false,
        opening: 5_000,
        reversal: -5_000,
        returned: 700,
        closing: 700,
        data: [
          { kind: 'returned', amount: 700, payout_id: payout.id },
          { kind: 'reversal', amount: -5_000, conversion_id: sale.id },
        ],
      });
    });

    it('continues the month before, and adds up to the balance, for every balance', async () => {
      await clock.moveTo(0);
      await owing.paid(affiliate, { ignore_minimum: true });
      const all = await owing.account.all<Balance>('/v1/balances');
      expect(all.length).toBe(3);
      const statements = new Map<string, Statement[]>();
      for (const { id, earned, adjusted, paid, entries } of all) {
        let [owed, count] = [0, 0];
        for (const month of [before, first, second, current]) {
          const one = await statement(month, id);
          expect(one.opening).toBe(owed);
          owed += one.data.reduce((sum, { amount }) => sum + amount, 0);
          expect(one.closing).toBe(owed);
          for (const sum of sums)
            expect([sum, one[sum]]).toEqual([sum, amountOf(one.data, kindsBySum[sum])]);
          count += one.data.filter(({ entry_id }) => entry_id !== undefined).length;
          statements.set(month, [...(statements.get(month) ?? []), one]);
        }
        expect([owed, count]).toEqual([earned + adjusted - paid, entries]);
      }
      for (const [month, ofMonth] of statements)
        expect((await summary(month)).currencies).toEqual(totalsOf(ofMonth));
    });

    it('carries the hash of the last event that was posted in its month', async () => {
      const { text } = await api.get(`/v1/balances/${balance.id}/ledger`);
      const lines = text
        .trim()
        .split('\n')
        .map((line) => JSON.parse(line) as LedgerLines[0])
        .flatMap((line) => ('data' in line ? [line] : []));
      for (const month of [first, second, current]) {
        const posted = lines.filter(
          ({ data: { posted_at } }) => `${posted_at as string}` < `${month}-32`,
        );
        const dated = posted.filter(({ data }) => 'posted_at' in data);
        expect((await statement(month)).chain).toBe(dated.at(-1)?.data.chain);
      }
      // the last event is a reservation: it changes what is payable, not what is owed
      expect(lines.at(-1)?.type).toBe('balance.reserved');
      expect((await statement(current)).chain).not.toBe((await owing.balance(affiliate)).chain);
    });

    it('of another account gets the response for one that does not exist', async () => {
      const { api: stranger } = await TestAccount.open(await service());
      for (const id of [balance.id, unknownId('bal')]) {
        const query = { month: first };
        const response = await stranger.get(`/v1/balances/${id}/statement`, { query });
        expect(expectProblem(response, 404, 'not_found').detail).toContain(id);
        const csv = { month: first, format: 'csv' };
        expectProblem(
          await stranger.get(`/v1/balances/${id}/statement`, { query: csv }),
          404,
          'not_found',
        );
      }
      const query = { month: current };
      const none = await stranger.get<StatementSummary>('/v1/statements/summary', { query });
      expect(expectStatus(200, none).currencies).toEqual([]);
    });

    it('as CSV has no name of an affiliate once it is deleted', async () => {
      const { id } = await owing.balance(other);
      expectStatus(204, await api.delete(`/v1/affiliates/${other.id}`));
      const { text } = await pageOf(first, { format: 'csv', limit: undefined }, id);
      for (const row of parse<Record<string, string>>(text, { columns: true }))
        expect([row['affiliate_name'], row['program_name']]).toEqual(['', owing.program.name]);
    });

    it('can be read with scope read, and never reflects less than the requested position', async () => {
      const reader = await owing.account.withScope('read');
      const impatient = await ApiClient.connect(await (await service()).impatient(), reader.key);
      const headers = { 'refledger-min-position': '9007199254740991' };
      const query = { month: current };
      const paths = [`/v1/balances/${balance.id}/statement`, '/v1/statements/summary'];
      for (const path of paths) expectStatus(200, await reader.get(path, { query }));
      const ahead = paths.map((path) => impatient.get(path, { query, headers }));
      for (const response of await Promise.all(ahead))
        expectProblem(response, 503, 'ledger_behind');
    });
  });
};

const amountOf = (lines: readonly StatementLine[], kinds: readonly string[]): number =>
  lines.reduce((sum, { kind, amount }) => sum + (kinds.includes(kind) ? amount : 0), 0);

/** The totals that a summary of these statements must have. */
const totalsOf = (statements: readonly Statement[]): StatementSummary['currencies'] =>
  ['EUR', 'USD'].flatMap((currency) => {
    // a balance that has a line, or on which something was owed before
    const own = statements.filter(
      (one) => one.currency === currency && (one.data.length > 0 || one.opening !== 0),
    );
    if (own.length === 0) return [];
    const add = (of: (one: Statement) => number): number =>
      own.reduce((sum, one) => sum + of(one), 0);
    return [
      {
        currency,
        opening: add(({ opening }) => opening),
        earned: add((one) => one.commission + one.correction + one.reversal),
        adjusted: add(({ adjustment }) => adjustment),
        paid: add(({ paid, returned }) => paid + returned),
        closing: add(({ closing }) => closing),
        balances: own.length,
      },
    ];
  });
