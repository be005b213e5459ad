/// <reference types="jest" />
import { parse } from 'csv-parse/sync';
import {
  type Affiliate,
  type Entry,
  expectStatus,
  type Payout,
  type ServiceFactory,
} from '@refledger/testing';
import { daysAfter } from '../days-after.js';
import { expectIssues, expectProblem } from '../expect-problem.js';
import { OwingAccount } from './owing-account.js';

/** Tests the lines of a payout as CSV. */
export const payoutLinesSuite = (service: ServiceFactory): void => {
  describe('the lines of a payout as CSV', () => {
    let owing: OwingAccount;
    let affiliate: Affiliate;
    beforeAll(async () => {
      owing = await OwingAccount.open(await service());
      affiliate = await owing.payee();
    });
    const csv = async ({ id }: Payout): Promise<string> =>
      expectStatus(200, await owing.api.get<string>(`/v1/payouts/${id}/entries`, { query }));
    const query = { format: 'csv' };

    it('are those of the list, all of them, with amounts as numbers and as decimals', async () => {
      const now = new Date().toISOString();
      const descriptions = ['=1+1', '+1', '-1', '@x', 'a "b", c', 'é 🦆', "it's"];
      await Promise.all(
        Array.from({ length: 130 }, (_, n) =>
          owing.owe(affiliate, n % 10 === 0 ? -1 - n : 1_000 + n, {
            payable_on: daysAfter(now, -(n % 7)),
            description: `${descriptions[n % descriptions.length]}`,
          }),
        ),
      );
      const payout = await owing.paid(affiliate);
      const lines = await owing.lines(payout);
      const rows = parse<Record<string, string>>(await csv(payout), {
        columns: true,
        record_delimiter: '\r\n',
      });
      expect(rows).toHaveLength(130);
      expect(rows).toEqual(lines.map(rowOf));
      expect(rows.reduce((sum, { amount }) => sum + Number(amount), 0)).toBe(payout.amount);
      expect(rows.map(({ amount_decimal }) => amount_decimal)).toEqual(
        lines.map(({ amount }) => (amount / 100).toFixed(2)),
      );
    });

    it('have the decimal places of the currency', async () => {
      await owing.owe(affiliate, 1_234, { currency: 'JPY' });
      await owing.owe(affiliate, 5, { currency: 'KWD' });
      const payouts = [
        await owing.paid(affiliate, { currency: 'JPY' }),
        await owing.paid(affiliate, { currency: 'KWD' }),
      ];
      const texts = await Promise.all(payouts.map(csv));
      expect(texts[0]).toContain(',1234,1234,JPY,');
      expect(texts[1]).toContain(',5,0.005,KWD,');
    });

    it('are sent as a named file, and without a body for HEAD', async () => {
      await owing.owe(affiliate, 10);
      const payout = await owing.paid(affiliate);
      for (const method of ['GET', 'HEAD']) {
        const response = await owing.api.send(method, `/v1/payouts/${payout.id}/entries`, {
          query,
        });
        expect(expectStatus(200, response) === undefined).toBe(method === 'HEAD');
        expect([response.header('content-type'), response.header('content-disposition')]).toEqual([
          'text/csv; charset=utf-8',
          `attachment; filename="entries-${payout.id}.csv"`,
        ]);
      }
    });

    it('have no pages, and are for their account only', async () => {
      await owing.owe(affiliate, 10);
      const payout = await owing.paid(affiliate);
      const path = `/v1/payouts/${payout.id}/entries`;
      for (const page of [{ limit: 1 }, { cursor: 'x' }])
        expectIssues(
          await owing.api.get(path, { query: { ...query, ...page } }),
          'validation_failed',
          Object.keys(page),
        );
      expectIssues(await owing.api.get(path, { query: { format: 'xlsx' } }), 'validation_failed', [
        'format',
      ]);
      const { api } = await OwingAccount.open(await service());
      expectProblem(await api.get(path, { query }), 404, 'not_found');
    });
  });
};

/**
 * The row of an entry. Text that a spreadsheet would run as a formula gets a leading apostrophe.
 */
const rowOf = ({ object: _, ...entry }: Entry): Record<string, string> => {
  const decimal = (entry.amount / 100).toFixed(2);
  const cells = Object.entries({ ...entry, amount_decimal: decimal }).map(([name, value]) => {
    const isText = typeof value === 'string' && name !== 'amount_decimal';
    return [name, isText && /^[=+\-@]/.test(value) ? `'${value}` : String(value ?? '')] as const;
  });
  return Object.fromEntries(cells);
};
