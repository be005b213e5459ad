import { createAtOnce, type Writing } from './act.js';
import { currencies } from './programs.js';

/**
 * The first sale to a customer, one within a month, and one that is later than any rule of the
 * programs reaches.
 */
const salesToOneCustomer = ['2024-01-31', '2024-02-10', '2024-12-31'].map((day) => ({
  sale_amount: 10_000,
  sale_currency: 'USD',
  customer_id: 'first-customer',
  occurred_at: `${day}T12:00:00.000Z`,
}));

/** In every currency, a sale whose commission is more than any cap. */
const largeSales = currencies.map((sale_currency) => ({ sale_amount: 900_000_000, sale_currency }));

const firstSales: Readonly<Record<string, readonly object[]>> = {
  prog_percentage: largeSales,
  prog_first: salesToOneCustomer,
  prog_months: salesToOneCustomer,
};

/**
 * Makes sales for each program with a rule for later sales or with caps, so that each rule applies
 * however few sales the load makes.
 */
export const createFirstSales = async (writing: Writing): Promise<void> => {
  for (const { id, program_id } of writing.known.affiliates)
    for (const sale of firstSales[program_id] ?? [])
      await createAtOnce(writing, {
        what: 'conversion.create',
        method: 'POST',
        path: '/v1/conversions',
        body: { affiliate_id: id, ...sale },
        key: writing.known.name('key'),
      });
};
