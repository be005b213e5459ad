/// <reference types="jest" />
import {
  type Affiliate,
  type Balance,
  expectStatus,
  type Page,
  type PayoutRun,
  type PayoutRunPreview,
  type ServiceFactory,
  unknownId,
  uniqueText,
} from '@refledger/testing';
import { awayFromMidnight } from '../away-from-midnight.js';
import { daysAfter } from '../days-after.js';
import { expectIssues, expectProblem } from '../expect-problem.js';
import { itReads } from '../it-reads.js';
import { AccountRuns } from './account-runs.js';
import { keyed, OwingAccount } from './owing-account.js';

const none = { balances: 0, amount: 0 };
const nothing = {
  nothing_payable: none,
  negative: none,
  not_approved: none,
  payout_hold: none,
  below_minimum: none,
  too_many_open_payouts: none,
  too_many_ranges: none,
  payee_changed: none,
};

/** Tests previews of payout runs. */
export const runPreviewsSuite = (service: ServiceFactory): void => {
  const withReads = itReads(service);
  const tomorrow = (): string => daysAfter(new Date().toISOString(), 1);

  describe('a preview of a payout run', () => {
    let owing: OwingAccount;
    let runs: AccountRuns;
    beforeEach(awayFromMidnight);
    beforeEach(async () => {
      owing = await OwingAccount.open(await service(), { minimum_payout: { USD: 100 } });
      runs = new AccountRuns(owing);
    });

    /** Gives the account a balance for every reason to skip one. */
    const oweEveryone = async (): Promise<void> => {
      const { account, api } = owing;
      const moved = await owing.owed(300);
      const { id } = await owing.paid(moved);
      expectStatus(200, await api.patch(`/v1/payouts/${id}`, { status: 'completed' }));
      await owing.owe(moved, 400);
      await account.update(moved, { payout_email: 'new@example.com' });
      const paid = await owing.owed(500);
      await owing.owe(paid, 70, { currency: 'EUR' });
      await account.update(await owing.owed(600), { payout_hold: true });
      await account.update(await owing.owed(700), { status: 'suspended' });
      await account.update(await owing.owed(-5), { status: 'suspended' });
      await owing.owed(99);
      await owing.owe(await owing.payee(), 500, { payable_on: tomorrow() });
      expectStatus(204, await api.delete(`/v1/affiliates/${(await owing.owed(800)).id}`));
    };

    withReads('matches the run that is made right after it, and records nothing', async () => {
      await oweEveryone();
      await runs.preview();
      const preview = await runs.preview();
      expect(preview).toEqual({
        object: 'payout_run_preview',
        until: new Date().toISOString().slice(0, 10),
        totals: [
          { ...nothing, currency: 'EUR', payouts: 1, amount: 70 },
          {
            ...nothing,
            currency: 'USD',
            payouts: 2,
            amount: 900,
            nothing_payable: { balances: 2, amount: -5 },
            negative: { balances: 1, amount: -5 },
            not_approved: { balances: 2, amount: 1500 },
            payout_hold: { balances: 1, amount: 600 },
            below_minimum: { balances: 1, amount: 99 },
            payee_changed: { balances: 1, amount: 400 },
          },
        ],
        position: expect.stringMatching(/^\d+$/) as string,
        has_more: false,
        next_cursor: null,
      });
      expect(await runs.preview()).toEqual(preview);
      expect(await owing.account.all('/v1/payout-runs')).toEqual([]);

      const made = await runs.finish();
      expect(asRun(preview)).toEqual(asMade(made));
      const everything = { ignore_minimum: true };
      const again = await runs.preview(everything);
      expect(again.totals).toMatchObject([{ currency: 'EUR' }, { payouts: 1, amount: 99 }]);
      expect(asRun(again)).toEqual(asMade(await runs.finish(everything)));
    });

    /** Refuses the reason beside other filters, and a cursor of another reason. */
    const refusesOthers = async (): Promise<void> => {
      const refuse = async (query: Record<string, string>) =>
        expectIssues(await owing.api.get('/v1/balances', { query }), 'validation_failed', [
          'not_eligible',
        ]);
      await refuse({ not_eligible: 'payout_hold' });
      await refuse({ not_eligible: 'payout_hold', open: 'false' });
      await refuse({ not_eligible: 'negative', open: 'true' });
      const query = { open: 'true', not_eligible: 'not_approved', limit: 1 };
      const page = await owing.api.get<Page<Balance>>('/v1/balances', { query });
      const cursor = expectStatus(200, page).next_cursor ?? '';
      const other = { ...query, not_eligible: 'payout_hold', cursor };
      expectIssues(await owing.api.get('/v1/balances', { query: other }), 'validation_failed', [
        'cursor',
      ]);
    };

    withReads('counts what the list of balances finds by reason', async () => {
      const suspended = await owing.account.update(await owing.owed(700), { status: 'suspended' });
      const indebted = await owing.account.update(await owing.owed(-5), { status: 'suspended' });
      const held = await owing.account.update(await owing.owed(600), { payout_hold: true });
      const little = await owing.owed(99);
      await owing.owe(little, 70, { currency: 'EUR' });
      const waiting = await owing.payee();
      await owing.owe(waiting, 500, { payable_on: tomorrow() });
      await owing.owed(500);
      const listed = (reason: string, query: object = {}) =>
        owing.account.all<Balance>('/v1/balances', {
          open: 'true',
          not_eligible: reason,
          sort: 'created_at',
          ...query,
        });
      const expected: readonly (readonly [string, readonly Affiliate[]])[] = [
        ['nothing_payable', [indebted, waiting]],
        // under each of its reasons, while a preview counts it under the first one
        ['not_approved', [suspended, indebted]],
        ['payout_hold', [held]],
        ['below_minimum', [little]],
        ['too_many_open_payouts', []],
        ['too_many_ranges', []],
      ];
      for (const [reason, affiliates] of expected) {
        const found = await listed(reason);
        // balances that were opened in the same millisecond are in the order of their ids
        expect([reason, found.map(({ affiliate_id }) => affiliate_id).toSorted()]).toEqual([
          reason,
          affiliates.map(({ id }) => id).toSorted(),
        ]);
        for (const balance of found)
          expect(balance).toMatchObject({
            eligible: false,
            not_eligible: expect.arrayContaining([reason]) as string[],
          });
        expect(await listed(reason, { limit: 1 })).toEqual(found);
        expect(await listed(reason, { sort: '-created_at' })).toEqual(found.toReversed());
      }
      expect(await listed('below_minimum', { currency: 'eur' })).toEqual([]);
      expect(await listed('payout_hold', { affiliate_id: little.id })).toEqual([]);
      const [{ below_minimum: counted } = nothing] = (await runs.preview({ currency: 'USD' }))
        .totals;
      expect(counted).toEqual({ balances: 1, amount: 99 });
      await refusesOthers();
    });

    withReads('sees only what it is narrowed to', async () => {
      const ada = await owing.owed(500);
      await owing.owe(ada, 40, { currency: 'EUR' });
      const bob = await owing.owed(600);
      const paid = async (body: object) =>
        (await runs.preview(body)).totals.map(({ currency, amount }) => [currency, amount]);
      expect(await paid({ program_id: owing.program.id, currency: 'usd' })).toEqual([
        ['USD', 1100],
      ]);
      expect(await paid({ affiliate_ids: [ada.id, ada.id] })).toEqual([
        ['EUR', 40],
        ['USD', 500],
      ]);
      expect(await paid({ affiliate_ids: [bob.id], currency: 'EUR' })).toEqual([]);
      const yesterday = daysAfter(new Date().toISOString(), -1);
      expect(await paid({ until: yesterday, currency: 'USD' })).toEqual([['USD', 0]]);
    });

    withReads('leaves its Idempotency-Key to the run', async () => {
      await owing.owed(500);
      const key = keyed(uniqueText('key'));
      const preview = await runs.preview({}, key);
      const started = expectStatus(202, await runs.start({ preview: false }, key));
      const made = await runs.finished(started.id);
      expect(asRun(preview)).toEqual(asMade(made));
      expect((await runs.preview({}, key)).totals).toMatchObject([{ payouts: 0, amount: 0 }]);
      expect(expectStatus(200, await runs.start({}, key))).toEqual(made);
    });

    withReads('names what is wrong with it', async () => {
      const preview = (body: object) => runs.start({ ...body, preview: true });
      const refuse = async (body: object, path: string) =>
        expectIssues(await runs.start(body), 'validation_failed', [path]);
      await refuse({ preview: true, until: tomorrow() }, '/until');
      await refuse({ preview: 'yes' }, '/preview');
      await refuse({ cursor: 'x' }, '/cursor');
      await refuse({ preview: true, cursor: 'x' }, '/cursor');
      expectProblem(await preview({ program_id: 'prog_none' }), 422, 'program_not_found');
      const unknown = { affiliate_ids: [unknownId('aff')] };
      expectProblem(await preview(unknown), 422, 'affiliate_not_found');
      const writer = await owing.account.withScope('write');
      const sent = { preview: true };
      expectProblem(await writer.post('/v1/payout-runs', sent), 403, 'insufficient_scope');
    });
  });
};

/** The figures that a preview and a run share. */
const asRun = ({ until, totals }: PayoutRunPreview): object => {
  const skipped = (reason: Exclude<keyof typeof nothing, 'negative' | 'payee_changed'>) =>
    totals.reduce((sum, total) => sum + total[reason].balances, 0);
  return {
    until,
    totals: totals
      .filter(({ payouts }) => payouts > 0)
      .map(({ currency, payouts, amount }) => ({ currency, payouts, amount })),
    skipped: {
      nothing_payable: skipped('nothing_payable'),
      not_approved: skipped('not_approved'),
      payout_hold: skipped('payout_hold'),
      below_minimum: skipped('below_minimum'),
      too_many_open_payouts: skipped('too_many_open_payouts'),
      too_many_ranges: skipped('too_many_ranges'),
    },
  };
};

const asMade = ({ until, totals, payouts }: PayoutRun): object => ({
  until,
  totals,
  skipped: payouts.skipped,
});
