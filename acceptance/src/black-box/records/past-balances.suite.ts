/// <reference types="jest" />
import {
  type Affiliate,
  type ApiClient,
  type ApiResponse,
  type Balance,
  type Conversion,
  expectStatus,
  type Page,
  type Program,
  type ServiceFactory,
  TestAccount,
  waitFor,
} from '@refledger/testing';
import { awayFromMidnight } from '../away-from-midnight.js';
import { daysAfter } from '../days-after.js';
import { expectIssues, expectProblem } from '../expect-problem.js';
import { itReads } from '../it-reads.js';

/** Tests balances as of a position or a time. */
export const pastBalancesSuite = (service: ServiceFactory): void => {
  describe('a balance as of a position or a time', () => {
    let account: TestAccount;
    let api: ApiClient;
    let program: Program;
    let affiliate: Affiliate;
    const withReads = itReads(service);
    beforeEach(awayFromMidnight);
    beforeEach(async () => {
      account = await TestAccount.open(await service());
      api = account.api;
      program = await account.program({
        terms: { type: 'percentage', rate_bps: 2_000, hold_days: 0 },
        conversion_approval: 'automatic',
      });
      affiliate = await account.update(await account.affiliate({ program_id: program.id }), {
        status: 'approved',
      });
    });

    const sale = (over: object = {}): Promise<Conversion> =>
      account.conversion(affiliate.id, { sale_amount: 5_000, ...over });
    const current = async (): Promise<Balance> => {
      const path = `/v1/affiliates/${affiliate.id}/balances`;
      const { data } = expectStatus(200, await api.get<Page<Balance>>(path));
      return data[0] as Balance;
    };
    const single = async (id: string): Promise<Balance> =>
      expectStatus(200, await api.get<Balance>(`/v1/balances/${id}`));
    const readAt = (id: string, as_of: string): Promise<ApiResponse<Balance>> =>
      api.get(`/v1/balances/${id}`, { query: { as_of } });

    withReads('is what it was then, with its affiliate and program as they were then', async () => {
      await sale();
      const { id } = await current();
      const moments: Balance[] = [];
      for (const change of [
        () => sale(),
        () => account.update(program, { minimum_payout: { USD: 5_000 } }),
        () => account.update(affiliate, { payout_hold: true }),
        () => sale({ sale_amount: 100_000 }),
        () => account.update(affiliate, { status: 'suspended', payout_hold: false }),
      ]) {
        await change();
        moments.push(await current());
      }
      expect(moments.map((then) => then.not_eligible.join())).toEqual([
        '',
        'below_minimum',
        'payout_hold,below_minimum',
        'payout_hold',
        'not_approved',
      ]);
      for (const then of moments) {
        const response = await readAt(id, then.position);
        expect(expectStatus(200, response)).toEqual(then);
        expect(response.header('refledger-as-of')).toBe(then.position);
        const path = `/v1/affiliates/${affiliate.id}/balances`;
        const all = await api.get<Page<Balance>>(path, { query: { as_of: then.position } });
        expect(expectStatus(200, all).data).toEqual([then]);
        expect(all.header('refledger-as-of')).toBe(then.position);
      }
      const latest = await single(id);
      expect(expectStatus(200, await readAt(id, latest.position))).toEqual(latest);
    });

    withReads('can be read as of a time, and `on` must not be before its day', async () => {
      await sale();
      const before = await current();
      const time = Date.now();
      await waitFor(() => Date.now() > time);
      await sale();
      const as_of = new Date(time).toISOString();
      const then = await readAt(before.id, as_of);
      const position = then.header('refledger-as-of') ?? '';
      const { earned, chain } = before;
      const on = daysAfter(as_of, 0);
      expect(expectStatus(200, then)).toMatchObject({ earned, chain, on, position });
      expect(expectStatus(200, await readAt(before.id, position))).toEqual(then.body);
      for (const moment of [as_of, position])
        expectIssues(
          await api.get(`/v1/balances/${before.id}`, {
            query: { as_of: moment, on: daysAfter(as_of, -1) },
          }),
          'validation_failed',
          ['on'],
        );
    });

    withReads('is not there before its first entry, nor ahead of the log', async () => {
      const { header } = await api.patch(`/v1/affiliates/${affiliate.id}`, { name: 'New' });
      const before = header('refledger-position') ?? '';
      await sale();
      const { id } = await current();
      for (const moment of [before, '0', '2001-01-01T00:00:00Z'])
        expectProblem(await readAt(id, moment), 404, 'not_found');
      const path = `/v1/affiliates/${affiliate.id}/balances`;
      const none = await api.get<Page<Balance>>(path, { query: { as_of: before } });
      expect(expectStatus(200, none).data).toEqual([]);
      expectProblem(await api.get(path, { query: { as_of: '0' } }), 404, 'not_found');
      expectIssues(await readAt(id, '2999-01-01T00:00:00Z'), 'validation_failed', ['as_of']);
    });
  });
};
