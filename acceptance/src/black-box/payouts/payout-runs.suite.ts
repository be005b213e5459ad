/// <reference types="jest" />
import {
  type Affiliate,
  expectStatus,
  type PayoutRun,
  type ServiceFactory,
  TestAccount,
  unknownId,
  uniqueText,
} from '@refledger/testing';
import { awayFromMidnight } from '../away-from-midnight.js';
import { daysAfter } from '../days-after.js';
import { expectIssues, expectProblem, like } from '../expect-problem.js';
import { itReads } from '../it-reads.js';
import { AccountRuns } from './account-runs.js';
import { keyed, OwingAccount } from './owing-account.js';

const noneSkipped = {
  nothing_payable: 0,
  not_approved: 0,
  payout_hold: 0,
  below_minimum: 0,
  too_many_open_payouts: 0,
  too_many_ranges: 0,
};

/** Tests payout runs. */
export const payoutRunsSuite = (service: ServiceFactory): void => {
  const withReads = itReads(service);
  const tomorrow = (): string => daysAfter(new Date().toISOString(), 1);

  describe('a payout run', () => {
    let owing: OwingAccount;
    let runs: AccountRuns;
    beforeEach(awayFromMidnight);
    beforeEach(async () => {
      owing = await OwingAccount.open(await service(), { minimum_payout: { USD: 100 } });
      runs = new AccountRuns(owing);
    });

    withReads('returns 202 with the whole record and its Location', async () => {
      const ada = await owing.owed(500);
      const response = await runs.start({
        program_id: owing.program.id,
        currency: 'usd',
        affiliate_ids: [ada.id],
        description: 'January 🎈',
        metadata: { a: '1' },
      });
      const started = expectStatus(202, response);
      expect(started).toEqual({
        id: like.id('run'),
        object: 'payout_run',
        status: 'running',
        program_id: owing.program.id,
        currency: 'USD',
        affiliate_ids: [ada.id],
        until: started.created_at.slice(0, 10),
        ignore_minimum: false,
        payouts: { created: expect.any(Number) as number, skipped: null },
        totals: expect.any(Array) as [],
        marks: [],
        position: expect.stringMatching(/^\d+$/) as string,
        description: 'January 🎈',
        metadata: { a: '1' },
        created_at: like.instant(),
        finished_at: null,
        revision: 0,
      });
      expect([response.header('location'), response.header('etag')]).toEqual([
        `/v1/payout-runs/${started.id}`,
        '"0"',
      ]);

      const finished = await runs.finished(started.id);
      expect(finished).toEqual({
        ...started,
        status: 'finished',
        payouts: { created: 1, skipped: noneSkipped },
        totals: [{ currency: 'USD', payouts: 1, amount: 500 }],
        finished_at: like.instant(),
        revision: 1,
      });
      const [payout, ...others] = await runs.payouts(started.id);
      expect(others).toEqual([]);
      expect(payout).toMatchObject({
        affiliate_id: ada.id,
        run_id: started.id,
        status: 'created',
        amount: 500,
        until: started.until,
        description: 'January 🎈',
        metadata: {},
      });
      expect(await owing.balance(ada)).toMatchObject({ payable: 0, in_payout: 500 });
    });

    withReads('pays every balance that can be paid, and counts why others are not', async () => {
      const paid = await owing.owed(500);
      await owing.owe(paid, 70, { currency: 'EUR' });
      const held = await owing.owed(500);
      await owing.account.update(held, { payout_hold: true });
      const suspended = await owing.owed(500);
      await owing.account.update(suspended, { status: 'suspended' });
      const little = await owing.owed(99);
      const indebted = await owing.owed(-5);
      await owing.account.update(indebted, { status: 'suspended' });
      const later = await owing.payee();
      await owing.owe(later, 500, { payable_on: tomorrow() });
      const deleted = await owing.owed(500);
      expectStatus(204, await owing.api.delete(`/v1/affiliates/${deleted.id}`));

      const run = await runs.finish();

      expect(run).toMatchObject({
        payouts: {
          created: 2,
          skipped: {
            ...noneSkipped,
            nothing_payable: 2,
            not_approved: 2,
            payout_hold: 1,
            below_minimum: 1,
          },
        },
        totals: [
          { currency: 'EUR', payouts: 1, amount: 70 },
          { currency: 'USD', payouts: 1, amount: 500 },
        ],
      });
      expect((await runs.payouts(run.id)).map(({ amount }) => amount).toSorted()).toEqual([
        500, 70,
      ]);
      const again = await runs.finish({ ignore_minimum: true });
      expect(again.totals).toEqual([{ currency: 'USD', payouts: 1, amount: 99 }]);
      expect(again.payouts.skipped).toMatchObject({ nothing_payable: 4 });
      expect(await owing.balance(little)).toMatchObject({ in_payout: 99 });
    });

    withReads('pays only what it is narrowed to', async () => {
      const other = await owing.account.program({});
      const strange = await owing.account.affiliate({ program_id: other.id });
      await owing.account.update(strange, { status: 'approved' });
      await owing.owe(strange, 300);
      const ada = await owing.owed(500);
      await owing.owe(ada, 40, { currency: 'EUR' });
      const bob = await owing.owed(600);
      const totals = async (body: object) => (await runs.finish(body)).totals;

      expect(await totals({ program_id: other.id, currency: 'EUR' })).toEqual([]);
      expect(await totals({ program_id: other.id })).toEqual([
        { currency: 'USD', payouts: 1, amount: 300 },
      ]);
      expect(await totals({ affiliate_ids: [ada.id, ada.id, strange.id] })).toEqual([
        { currency: 'EUR', payouts: 1, amount: 40 },
        { currency: 'USD', payouts: 1, amount: 500 },
      ]);
      expect(await totals({ until: daysAfter(new Date().toISOString(), -1) })).toEqual([]);
      expect(await owing.balance(bob)).toMatchObject({ payable: 600, in_payout: 0 });
      expect(await totals({ currency: 'EUR' })).toEqual([]);
      expect(await totals({ currency: 'USD' })).toEqual([
        { currency: 'USD', payouts: 1, amount: 600 },
      ]);
    });

    withReads('a hundred times at once with one key is one run', async () => {
      await owing.owed(500);
      const key = keyed(uniqueText('key'));
      const responses = await Promise.all(
        Array.from({ length: 100 }, () => runs.start({ currency: 'USD' }, key)),
      );
      const [first] = responses.filter(({ status }) => status === 202);
      expect(responses.filter(({ status }) => status === 200)).toHaveLength(99);
      expect(new Set(responses.map(({ body }) => body.id)).size).toBe(1);
      const finished = await runs.finished(first?.body.id ?? '');
      const replayed = await runs.start({ currency: 'usd' }, key);
      expect([replayed.status, replayed.header('idempotent-replayed')]).toEqual([200, 'true']);
      expect(replayed.body).toEqual(finished);
      for (const over of [{}, { currency: 'EUR' }, { currency: 'USD', until: finished.until }])
        expectProblem(await runs.start(over, key), 422, 'idempotency_key_reused');
      expect(await owing.account.all('/v1/payout-runs')).toEqual([finished]);
    });

    withReads('alongside another run and single payouts pays each balance once', async () => {
      const affiliates: Affiliate[] = [];
      for (let n = 1; n <= 60; n++) affiliates.push(await owing.owed(100 + n));
      const [started, single] = await Promise.all([
        Promise.all([runs.start(), runs.start()]),
        Promise.all(affiliates.slice(0, 20).map((affiliate) => owing.pay(affiliate))),
      ]);
      const finished: PayoutRun[] = [];
      for (const response of started)
        finished.push(await runs.finished(expectStatus(202, response).id));

      const made = single.filter(({ status }) => status === 201).length;
      const created = finished.map(({ payouts }) => payouts.created);
      expect(created.reduce((sum, n) => sum + n, made)).toBe(60);
      for (const { id, payouts, totals } of finished) {
        const own = await runs.payouts(id);
        expect(own).toHaveLength(payouts.created);
        const amount = own.reduce((sum, payout) => sum + payout.amount, 0);
        expect(totals).toEqual(
          own.length === 0 ? [] : [{ currency: 'USD', payouts: own.length, amount }],
        );
        const skipped = Object.values(payouts.skipped ?? {}).reduce((sum, n) => sum + n, 0);
        expect(payouts.created + skipped).toBeLessThanOrEqual(60);
      }
      for (const [index, affiliate] of affiliates.entries())
        expect(await owing.balance(affiliate)).toMatchObject({
          payable: 0,
          in_payout: 101 + index,
        });
    });

    withReads('names what is wrong with it', async () => {
      const refuse = async (body: object, path: string) =>
        expectIssues(await runs.start(body), 'validation_failed', [path]);
      await refuse({ until: tomorrow() }, '/until');
      await refuse({ affiliate_ids: [] }, '/affiliate_ids');
      await refuse({ currency: 'XXXX' }, '/currency');
      expectProblem(await runs.start({ partial: true }), 422, 'unknown_field');
      expectProblem(
        await runs.start({ affiliate_ids: [unknownId('aff')] }),
        422,
        'affiliate_not_found',
      );
      expectProblem(await runs.start({ program_id: 'prog_none' }), 422, 'program_not_found');
      const stranger = new AccountRuns(await OwingAccount.open(await service()));
      const ada = await owing.payee();
      expectProblem(await stranger.start({ affiliate_ids: [ada.id] }), 422, 'affiliate_not_found');
      expect(await owing.account.all('/v1/payout-runs')).toEqual([]);
    });

    withReads('can be changed only with scope admin, and seen only by its account', async () => {
      const run = await runs.finish();
      const path = `/v1/payout-runs/${run.id}`;
      const reader = await owing.account.withScope('read');
      expect(expectStatus(200, await reader.get(path))).toEqual(run);
      for (const scope of ['read', 'write'] as const) {
        const client = await owing.account.withScope(scope);
        expectProblem(await client.post('/v1/payout-runs', {}), 403, 'insufficient_scope');
        expectProblem(await client.patch(path, { metadata: {} }), 403, 'insufficient_scope');
      }
      const { api } = await TestAccount.open(await service());
      for (const response of [
        await api.get(path),
        await api.patch(path, { metadata: {} }),
        await api.get(`${path}/history`),
      ])
        expectProblem(response, 404, 'not_found');
    });
  });
};
