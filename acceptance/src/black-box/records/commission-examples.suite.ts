/// <reference types="jest" />
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { type Affiliate, type ServiceFactory, TestAccount, uniqueText } from '@refledger/testing';

/** Runs the examples in the tables of docs/commissions.md. */
export const commissionExamplesSuite = (service: ServiceFactory): void => {
  describe('the examples of docs/commissions.md', () => {
    let account: TestAccount;
    beforeAll(async () => {
      account = await TestAccount.open(await service());
    });

    /** Creates an affiliate under these terms. */
    const affiliateUnder = async (terms: unknown): Promise<Affiliate> =>
      account.affiliate({ program_id: (await account.program({ terms })).id });

    /** Records a sale, and returns what it earned and why. */
    const sell = async ({ id }: Affiliate, sale: string, over: object = {}): Promise<unknown> => {
      const { commission_amount, commission } = await account.conversion(id, {
        ...amountOf(sale),
        ...over,
      });
      return [commission_amount, commission.why];
    };

    it.each(examples)('under %s a sale of %s earns %s', async (terms, sale, earned, why) => {
      expect(await sell(await affiliateUnder(JSON.parse(terms)), sale)).toEqual([
        minorUnits(earned),
        why,
      ]);
    });

    it('several sales to one customer', async () => {
      const series = new Map<string, { affiliate: Affiliate; customer_id: string }>();
      for (const [recurring, occurred_at, earned, why] of customers.rows) {
        const { affiliate, customer_id } = series.get(recurring) ?? {
          affiliate: await affiliateUnder({
            ...customers.terms,
            recurring: JSON.parse(recurring) as unknown,
          }),
          customer_id: uniqueText('customer'),
        };
        series.set(recurring, { affiliate, customer_id });
        expect(await sell(affiliate, customers.sale, { customer_id, occurred_at })).toEqual([
          minorUnits(earned),
          why,
        ]);
      }
      expect(series.size).toBe(3);
    });

    it('the life of one sale', async () => {
      const { id } = await affiliateUnder(life.terms);
      let sale = await account.conversion(id, amountOf(life.sale));
      for (const [what, patch, earned, owed] of life.rows) {
        sale = await account.update(sale, JSON.parse(patch) as object);
        expect([what, sale.commission_amount]).toEqual([what, minorUnits(earned)]);
        expect(sale.status === 'approved' ? sale.commission_amount : 0).toBe(minorUnits(owed));
      }
    });
  });
};

type Row = [string, string, string, string];

const document = readFileSync(join(__dirname, '../../../../docs/commissions.md'), 'utf8');

/** Finds the table after a comment. Returns what the comment says, and the rows of four cells. */
const tableAfter = (name: string): { readonly says: string; readonly rows: readonly Row[] } => {
  const [, says, table] = new RegExp(`<!-- ${name}(.*) -->\\n((?:\\|.*\\n)+)`).exec(document) ?? [];
  if (says === undefined || table === undefined)
    throw new Error(`docs/commissions.md has no table after <!-- ${name} -->`);
  const [, , ...rows] = table.trim().split('\n');
  return { says, rows: rows.map(cellsOf) };
};

const cellsOf = (row: string): Row => {
  const cells = row.slice(1, -1).split('|');
  const [a, b, c, d, ...more] = cells.map((cell) => cell.trim().replaceAll('`', ''));
  if (a === undefined || b === undefined || c === undefined || d === undefined || more.length > 0)
    throw new Error(`not four cells: ${row}`);
  return [a, b, c, d];
};

/** The table after a comment that gives the terms and the amount of every sale in it. */
const salesAfter = (name: string) => {
  const { says, rows } = tableAfter(name);
  const [, terms, sale] = /^: (\{.*\}) (\S+ [A-Z]{3})$/.exec(says) ?? [];
  if (terms === undefined || sale === undefined)
    throw new Error(`docs/commissions.md does not give the terms and the amount: ${says}`);
  return { terms: JSON.parse(terms) as object, sale, rows };
};

/** Reads an amount such as `200.00 USD`: its minor units are its digits without the point. */
const amountOf = (text: string) => {
  const [, digits, sale_currency] = /^([\d.]+) ([A-Z]{3})$/.exec(text) ?? [];
  if (digits === undefined) throw new Error(`not an amount: ${text}`);
  return { sale_amount: Number(digits.replace('.', '')), sale_currency };
};

const minorUnits = (text: string): number => amountOf(text).sale_amount;

const examples = [...tableAfter('examples').rows];
const customers = salesAfter('customers');
const life = salesAfter('life');
