/// <reference types="jest" />
import {
  type Affiliate,
  day,
  expectStatus,
  type Payout,
  type Program,
  type ServiceFactory,
  TestAccount,
  unknownId,
} from '@refledger/testing';
import { awayFromMidnight } from '../away-from-midnight.js';
import { daysAfter } from '../days-after.js';
import { expectIssues, expectProblem, like } from '../expect-problem.js';
import { itReads } from '../it-reads.js';
import { OwingAccount } from './owing-account.js';

/** Tests the creation and the lists of payouts. */
export const payoutsSuite = (service: ServiceFactory): void => {
  const withReads = itReads(service);
  const today = (): string => daysAfter(new Date().toISOString(), 0);

  describe('a new payout', () => {
    let owing: OwingAccount;
    beforeEach(awayFromMidnight);
    beforeAll(async () => void (owing = await OwingAccount.open(await service())));

    withReads('returns 201 with the whole record and its Location', async () => {
      const ada = await owing.owed(500);
      const changed = await owing.account.update(ada, { payout_email: 'pay@example.com' });
      const { id: balance_id, chain } = await owing.balance(ada);
      const response = await owing.pay(ada, {
        currency: 'usd',
        description: 'January 🎈',
        metadata: { a: '1' },
      });
      const record = expectStatus(201, response);
      expect(record).toEqual({
        id: like.id('pay'),
        object: 'payout',
        affiliate_id: ada.id,
        program_id: owing.program.id,
        balance_id,
        run_id: null,
        status: 'created',
        currency: 'USD',
        amount: 500,
        entry_count: 1,
        until: record.created_at.slice(0, 10),
        description: 'January 🎈',
        reference: null,
        reason: null,
        metadata: { a: '1' },
        payee_revision: changed.revision,
        chain,
        created_at: like.instant(),
        updated_at: record.created_at,
        completed_at: null,
        revision: 0,
      });
      expect([response.header('location'), response.header('etag')]).toEqual([
        `/v1/payouts/${record.id}`,
        '"0"',
      ]);
      const read = await owing.api.get(`/v1/payouts/${record.id}`);
      expect([expectStatus(200, read), read.header('etag')]).toEqual([record, '"0"']);
    });

    withReads('takes the entries that are due by its day, and no others', async () => {
      const ada = await owing.payee();
      for (const [amount, days] of [
        [1, -20],
        [20, -10],
        [300, 0],
        [4_000, 20],
      ] as const)
        await owing.owe(ada, amount, { payable_on: daysAfter(new Date().toISOString(), days) });
      const old = await owing.paid(ada, { until: daysAfter(new Date().toISOString(), -10) });
      expect([old.amount, old.entry_count]).toEqual([21, 2]);
      const rest = await owing.paid(ada);
      expect([rest.amount, rest.entry_count]).toEqual([300, 1]);
      expect(await owing.balance(ada)).toMatchObject({ held: 4_000, payable: 0, in_payout: 321 });
      const lines = [...(await owing.lines(old)), ...(await owing.lines(rest))];
      expect(lines.map(({ amount, payout_id }) => [amount, payout_id])).toEqual([
        [1, old.id],
        [20, old.id],
        [300, rest.id],
      ]);
    });

    withReads('does not contain the sales that have since been refunded', async () => {
      const ada = await owing.payee();
      const occurred_at = new Date(Date.now() - 60 * day).toISOString();
      const [kept, refunded] = [
        await owing.account.conversion(ada.id, { sale_amount: 5_000, occurred_at }),
        await owing.account.conversion(ada.id, { sale_amount: 9_000, occurred_at }),
      ];
      for (const sale of [kept, refunded]) await owing.account.update(sale, { status: 'approved' });
      await owing.account.update(refunded, { status: 'refunded' });
      const payout = await owing.paid(ada, { until: kept.payable_on });
      expect([payout.amount, payout.entry_count]).toEqual([1_000, 3]);
      const lines = await owing.lines(payout);
      expect(lines.map(({ kind, amount }) => [kind, amount])).toEqual([
        ['commission', 1_000],
        ['commission', 1_800],
        ['reversal', -1_800],
      ]);
    });

    withReads('contains everything that was acknowledged before it was requested', async () => {
      const ada = await owing.payee();
      for (let n = 1; n <= 10; n++) {
        await owing.owe(ada, n);
        const { amount, entry_count } = await owing.paid(ada);
        expect([n, amount, entry_count]).toEqual([n, n, 1]);
      }
    });

    withReads('has as many pages of lines as its entries need', async () => {
      const ada = await owing.payee();
      const now = new Date().toISOString();
      for (let n = 1; n <= 12; n++)
        await owing.owe(ada, n, { payable_on: daysAfter(now, -(n % 4)) });
      const payout = await owing.paid(ada);
      const lines = await owing.lines(payout);
      const inOrder = lines.toSorted(
        (a, b) => a.payable_on.localeCompare(b.payable_on) || a.number - b.number,
      );
      expect([lines.length, lines]).toEqual([12, inOrder]);
      for (const limit of [1, 5, 12]) expect(await owing.lines(payout, { limit })).toEqual(lines);
      for (const [query, path] of [
        [{ limit: 0 }, 'limit'],
        [{ cursor: 'x' }, 'cursor'],
      ] as const)
        expectIssues(
          await owing.api.get(`/v1/payouts/${payout.id}/entries`, { query }),
          'validation_failed',
          [path],
        );
    });

    withReads('is one per currency', async () => {
      const ada = await owing.owed(500);
      await owing.owe(ada, 70, { currency: 'JPY' });
      const [usd, jpy] = [await owing.paid(ada), await owing.paid(ada, { currency: 'jpy' })];
      expect([usd.amount, usd.currency, jpy.amount, jpy.currency]).toEqual([500, 'USD', 70, 'JPY']);
      expectProblem(await owing.pay(ada, { currency: 'EUR' }), 409, 'nothing_payable');
    });
  });

  describe('the list of payouts', () => {
    let owing: OwingAccount;
    let account: TestAccount;
    let ada: Affiliate;
    let other: Program;
    let noon: number;
    let made: Payout[];
    const list = (query: Readonly<Record<string, string | number>> = {}): Promise<Payout[]> =>
      account.all('/v1/payouts', { sort: 'created_at', limit: 2, ...query });
    const at = (daysAgo: number): string => new Date(noon - daysAgo * day).toISOString();
    const expectOnly = async (
      query: Readonly<Record<string, string>>,
      ...wanted: readonly number[]
    ): Promise<void> =>
      expect([query, await list(query)]).toEqual([query, wanted.map((n) => made[n])]);

    /** Makes five payouts. The list shows each of them immediately. */
    const makeEach = async (): Promise<void> => {
      owing = await OwingAccount.open(await service());
      ({ account } = owing);
      other = await account.program();
      const bob = await account.update(await account.affiliate({ program_id: other.id }), {
        status: 'approved',
      });
      ada = await owing.owed(1);
      made = [await owing.paid(ada)];
      expect(await list()).toEqual(made);
      for (const [affiliate, currency] of [
        [ada, 'USD'],
        [ada, 'EUR'],
        [bob, 'USD'],
        [bob, 'EUR'],
      ] as const) {
        await owing.owe(affiliate, 1, { currency });
        made.push(await owing.paid(affiliate, { currency }));
        expect(await list()).toEqual(made);
      }
    };

    const changeEach = async (): Promise<void> => {
      noon = new Date(`${today()}T12:00:00.000Z`).getTime();
      const changes = [
        { status: 'completed', completed_at: at(2) },
        { status: 'completed', completed_at: at(3) },
        { status: 'processing' },
        { status: 'canceled' },
      ];
      for (const [n, change] of changes.entries())
        made[n] = await account.update(made[n] as Payout, change);
      expect(await list()).toEqual(made);
      expect(await list({ sort: '-created_at' })).toEqual(made.toReversed());
    };

    const findsByEachFilter = async (): Promise<void> => {
      await expectOnly({ affiliate_id: ada.id }, 0, 1, 2);
      await expectOnly({ program_id: other.id }, 3, 4);
      await expectOnly({ currency: 'eur' }, 2, 4);
      await expectOnly({ status: 'completed' }, 0, 1);
      await expectOnly({ status: 'processing' }, 2);
      await expectOnly({ status: 'canceled' }, 3);
      await expectOnly({ status: 'created' }, 4);
      await expectOnly({ status: 'failed' });
      await expectOnly({ run_id: unknownId('run') });
      await expectOnly({ run_id: unknownId('run'), affiliate_id: ada.id, status: 'completed' });
      await expectOnly({ affiliate_id: unknownId('aff') });
    };

    const findsByCompletion = async (): Promise<void> => {
      // both exclude their instant, and payouts without one are in neither
      await expectOnly({ completed_after: at(3) }, 0);
      await expectOnly({ completed_before: at(2) }, 1);
      // the list is then in the order of completion
      for (const [bound, instant] of [
        ['completed_after', at(4)],
        ['completed_before', at(1)],
      ] as const) {
        await expectOnly({ [bound]: instant }, 1, 0);
        await expectOnly({ [bound]: instant, limit: '1' }, 1, 0);
        await expectOnly({ [bound]: instant, sort: '-created_at' }, 0, 1);
      }
      await expectOnly({ completed_after: at(3), completed_before: at(2) });
    };

    const findsByAllFilters = async (): Promise<void> => {
      const all = {
        affiliate_id: ada.id,
        program_id: owing.program.id,
        status: 'completed',
        currency: 'USD',
      };
      await expectOnly({ ...all, completed_after: at(3), completed_before: at(1) }, 0);
      await expectOnly({ ...all, program_id: other.id });
    };

    const findsFailedByCompletion = async (): Promise<void> => {
      await account.update(made[1] as Payout, { status: 'failed', reason: 'closed' });
      made[1] = await owing.payout(made[1]?.id ?? '');
      await expectOnly({ status: 'failed', completed_after: at(4) }, 1);
    };

    const rejectsBadFilters = async (): Promise<void> => {
      for (const [name, value] of [
        ['status', 'paid'],
        ['currency', 'XXX'],
        ['completed_after', 'today'],
        ['completed_before', '2026-02-30T00:00:00Z'],
      ] as const)
        expectIssues(
          await owing.api.get('/v1/payouts', { query: { [name]: value } }),
          'validation_failed',
          [name],
        );
      expectIssues(
        await owing.api.get('/v1/payouts', { query: { reference: 'x' } }),
        'unknown_field',
        ['reference'],
      );
    };

    withReads('shows every one, at once, by each filter and by all of them', async () => {
      await makeEach();
      await changeEach();
      await findsByEachFilter();
      await findsByCompletion();
      await findsByAllFilters();
      await findsFailedByCompletion();
      await rejectsBadFilters();
      const stranger = await TestAccount.open(await service());
      expect(await stranger.all('/v1/payouts', { affiliate_id: ada.id })).toEqual([]);
    });
  });
};
