/// <reference types="jest" />
import {
  type Affiliate,
  type ApiResponse,
  expectStatus,
  type Payout,
  type Problem,
  type ServiceFactory,
  TestAccount,
} from '@refledger/testing';
import { parse } from 'csv-parse/sync';
import { expectIssues, expectProblem } from '../expect-problem.js';
import { itReads } from '../it-reads.js';
import { AccountRuns } from './account-runs.js';
import { OwingAccount } from './owing-account.js';

/** Tests the files with the payouts of a run. */
export const runFilesSuite = (service: ServiceFactory): void => {
  const withReads = itReads(service);

  describe('the file of a payout run', () => {
    let owing: OwingAccount;
    let runs: AccountRuns;
    beforeEach(async () => {
      owing = await OwingAccount.open(await service());
      runs = new AccountRuns(owing);
    });
    const file = (id: string, query: Readonly<Record<string, string>>) =>
      owing.api.get<string>(`/v1/payout-runs/${id}/file`, { query });
    const rowsOf = (response: ApiResponse<string>): string[][] => {
      expect(response.status).toBe(200);
      return parse(response.text, { record_delimiter: '\r\n' });
    };
    const review = async (id: string, query: Readonly<Record<string, string>> = {}) =>
      parse((await file(id, { format: 'csv', ...query })).text, {
        columns: true,
        record_delimiter: '\r\n',
      });
    const named = async (over: Partial<Affiliate>, amount: number, currency = 'USD') => {
      const affiliate = await owing.account.update(await owing.payee(), { metadata: {}, ...over });
      await owing.owe(affiliate, amount, { currency });
      return affiliate;
    };
    const namesPayouts = (response: ApiResponse, code: string): readonly string[] =>
      (expectProblem(response, 409, code) as Problem & { payouts: readonly string[] }).payouts;

    withReads('has a row per payout in the order of creation, for review', async () => {
      const evil = await named({ name: '=cmd|calc' }, 12_345);
      const polite = await named({ name: 'Ada "L", Ltd' }, 5);
      const { id } = await runs.finish({ description: '+49 January' });
      const response = await file(id, { format: 'csv' });
      expect([
        response.header('content-type'),
        response.header('content-disposition'),
        response.header('refledger-parts'),
      ]).toEqual([
        'text/csv; charset=utf-8',
        `attachment; filename="payouts-${id}-USD-1.csv"`,
        '1',
      ]);
      const payouts = new Map(
        (await runs.payouts(id)).map((payout) => [payout.affiliate_id, payout]),
      );
      const rows = await review(id);
      expect(rows).toEqual(
        expect.arrayContaining(
          [
            { affiliate: evil, name: "'=cmd|calc", amount: '123.45', amount_minor: '12345' },
            { affiliate: polite, name: 'Ada "L", Ltd', amount: '0.05', amount_minor: '5' },
          ].map(({ affiliate, ...row }) => ({
            ...row,
            payout_id: payouts.get(affiliate.id)?.id,
            affiliate_id: affiliate.id,
            email: affiliate.email,
            currency: 'USD',
            description: "'+49 January",
            status: 'created',
            created_at: payouts.get(affiliate.id)?.created_at,
            payee_changed: 'false',
          })),
        ),
      );
      expect(rows).toHaveLength(2);
    });

    withReads('for PayPal has the payouts that are processing, and no others', async () => {
      const ada = await named({ payout_email: 'ada@pay.example' }, 12_345);
      const bob = await named({}, 700);
      const { id } = await runs.finish({ description: 'January' });
      expectProblem(await file(id, { format: 'paypal' }), 409, 'invalid_transition');
      await runs.mark(id, { status: 'processing' });
      const payouts = await runs.payouts(id);
      const payoutOf = ({ id: affiliate }: Affiliate) =>
        payouts.find((payout) => payout.affiliate_id === affiliate);
      expect(rowsOf(await file(id, { format: 'paypal' })).toSorted()).toEqual(
        [
          ['ada@pay.example', '123.45', 'USD', payoutOf(ada)?.id, 'January', 'PAYPAL'],
          [bob.email, '7.00', 'USD', payoutOf(bob)?.id, 'January', 'PAYPAL'],
        ].toSorted(),
      );
      const paid = payoutOf(bob);
      if (paid === undefined) throw new Error('bob has no payout');
      await owing.account.update(paid, { status: 'completed' });
      expect(rowsOf(await file(id, { format: 'paypal' }))).toHaveLength(1);
    });

    withReads(
      'for PayPal has the ASCII form of domains, and needs ASCII before the @',
      async () => {
        const ada = await named({ payout_email: 'Ada@BÜCHER.example' }, 100);
        const { id } = await runs.finish();
        await runs.mark(id, { status: 'processing' });
        const paypal = { format: 'paypal' };
        expect(rowsOf(await file(id, paypal)).map((cells) => cells.slice(0, 2))).toEqual([
          ['Ada@xn--bcher-kva.example', '1.00'],
        ]);
        expect(await review(id)).toMatchObject([{ email: 'Ada@BÜCHER.example' }]);

        await owing.account.update(ada, { payout_email: 'jörg@bücher.example' });
        const [payout] = await runs.payouts(id);
        expect(
          namesPayouts(
            await file(id, { ...paypal, accept_changed_payees: 'true' }),
            'payee_unusable',
          ),
        ).toEqual([payout?.id]);
        expect(await review(id)).toMatchObject([{ email: 'jörg@bücher.example' }]);
      },
    );

    withReads('has amounts with the decimal places of each currency', async () => {
      await named({}, 1_234, 'JPY');
      await named({}, 1_234, 'KWD');
      const { id } = await runs.finish();
      expectIssues(await file(id, { format: 'csv' }), 'validation_failed', ['currency']);
      for (const [currency, amount] of [
        ['jpy', '1234'],
        ['KWD', '1.234'],
      ] as const)
        expect(await review(id, { currency })).toMatchObject([
          { amount, amount_minor: '1234', currency: currency.toUpperCase() },
        ]);
      expect(await review(id, { currency: 'USD' })).toEqual([]);
    });

    withReads(
      'for PayPal has whole forints and yen, and names the payout of a fraction',
      async () => {
        await named({}, 123_400, 'HUF');
        const fraction = await named({}, 123_450, 'HUF');
        await named({}, 100, 'TWD');
        await named({}, 1_234, 'JPY');
        const { id } = await runs.finish();
        await runs.mark(id, { status: 'processing' });
        const amounts = async (currency: string): Promise<unknown[]> =>
          rowsOf(await file(id, { format: 'paypal', currency })).map(([, ...row]) =>
            row.slice(0, 2),
          );
        expect(await amounts('JPY')).toEqual([['1234', 'JPY']]);
        expect(await amounts('TWD')).toEqual([['1', 'TWD']]);
        const [payout] = await owing.account.all<Payout>('/v1/payouts', {
          affiliate_id: fraction.id,
        });
        const refused = await file(id, { format: 'paypal', currency: 'HUF' });
        expect(namesPayouts(refused, 'payee_unusable')).toEqual([payout?.id]);
        await owing.account.update(await owing.payout(payout?.id ?? ''), {
          status: 'completed',
          reference: 'paid by bank',
        });
        expect(await amounts('HUF')).toEqual([['1234', 'HUF']]);
        expect(await review(id, { currency: 'HUF' })).toMatchObject([{ amount: '1234.00' }]);
      },
    );

    withReads('is refused for PayPal in a currency that PayPal does not pay out', async () => {
      await named({}, 1_234, 'KWD');
      // what is owed in a withdrawn currency is still paid
      const owed = await named({}, 1_234, 'BGN');
      const { id } = await runs.finish();
      await runs.mark(id, { status: 'processing' });
      for (const currency of ['KWD', 'bgn']) {
        const refused = await file(id, { format: 'paypal', currency });
        expect(expectProblem(refused, 409, 'currency_not_supported').detail).toContain(
          currency.toUpperCase(),
        );
      }
      expect(await review(id, { currency: 'BGN' })).toMatchObject([
        { affiliate_id: owed.id, amount: '12.34', currency: 'BGN' },
      ]);
    });

    withReads('is refused if an affiliate was deleted, and names the payouts', async () => {
      const gone = await named({}, 100);
      await named({}, 200);
      const { id } = await runs.finish();
      await runs.mark(id, { status: 'processing' });
      const [lost] = await owing.account.all<{ id: string }>('/v1/payouts', {
        affiliate_id: gone.id,
      });
      expectStatus(204, await owing.api.delete(`/v1/affiliates/${gone.id}`));
      for (const format of ['csv', 'paypal'])
        expect(namesPayouts(await file(id, { format }), 'payee_unusable')).toEqual([lost?.id]);
      const payout = await owing.payout(lost?.id ?? '');
      await owing.account.update(payout, { status: 'failed', reason: 'the affiliate is gone' });
      expect(rowsOf(await file(id, { format: 'paypal' }))).toHaveLength(1);
    });

    withReads('is refused when a recipient has changed, unless that is accepted', async () => {
      const ada = await named({}, 100);
      await named({}, 200);
      const { id } = await runs.finish();
      await runs.mark(id, { status: 'processing' });
      await owing.account.update(ada, { payout_email: 'mallory@example.com' });
      const [changed] = await owing.account.all<{ id: string }>('/v1/payouts', {
        affiliate_id: ada.id,
      });
      const query = { format: 'paypal' };
      expect(namesPayouts(await file(id, query), 'payee_changed')).toEqual([changed?.id]);
      const accepted = await file(id, { ...query, accept_changed_payees: 'true' });
      expect(rowsOf(accepted).map(([recipient]) => recipient)).toContain('mallory@example.com');
      const rows = await review(id);
      expect(
        (rows as { payout_id: string; payee_changed: string }[])
          .filter(({ payee_changed }) => payee_changed === 'true')
          .map(({ payout_id }) => payout_id),
      ).toEqual([changed?.id]);
    });

    withReads('knows the recipient of the last payout that was completed', async () => {
      const ada = await named({}, 100);
      const first = await runs.finish();
      await runs.mark(first.id, { status: 'completed' });
      // the next payout is made after the change, so its own recipient has not changed since
      await owing.account.update(ada, { payout_email: 'mallory@example.com' });
      await owing.owe(ada, 300);
      const { id } = await runs.finish();
      await runs.mark(id, { status: 'processing' });
      const [payout] = await runs.payouts(id);
      const refused = await file(id, { format: 'paypal' });
      expect(namesPayouts(refused, 'payee_changed')).toEqual([payout?.id]);
      // the provider has paid her there
      await runs.mark(id, { status: 'completed' });
      await owing.owe(ada, 400);
      const next = await runs.finish();
      await runs.mark(next.id, { status: 'processing' });
      expect(rowsOf(await file(next.id, { format: 'paypal' }))).toHaveLength(1);
    });

    withReads('refuses text that a spreadsheet would run, in a file that sends money', async () => {
      await named({}, 100);
      const { id } = await runs.finish({ description: '=1+1' });
      await runs.mark(id, { status: 'processing' });
      const [payout] = await runs.payouts(id);
      const refused = await file(id, { format: 'paypal' });
      expect(namesPayouts(refused, 'payee_unusable')).toEqual([payout?.id]);
    });

    withReads('needs a format and a part that exists, and scope admin', async () => {
      await named({}, 100);
      const { id } = await runs.finish();
      expectIssues(await file(id, {}), 'validation_failed', ['format']);
      expectIssues(await file(id, { format: 'xls' }), 'validation_failed', ['format']);
      expectIssues(await file(id, { format: 'csv', part: '0' }), 'validation_failed', ['part']);
      expectIssues(await file(id, { format: 'csv', part: '2' }), 'validation_failed', ['part']);
      const path = `/v1/payout-runs/${id}/file?format=csv`;
      for (const scope of ['read', 'write'] as const) {
        const client = await owing.account.withScope(scope);
        expectProblem(await client.get(path), 403, 'insufficient_scope');
      }
      const stranger = await TestAccount.open(await service());
      expectProblem(await stranger.api.get(path), 404, 'not_found');
    });
  });
};
