import { createAtOnce, type Writing } from './act.js';

/**
 * The first sale, one within a month, and one that is later than any rule of the programs reaches.
 */
const occurrences = ['2024-01-31', '2024-02-10', '2024-12-31'];

/**
 * Makes three sales to one customer in each program with a rule for later sales, so that each rule
 * applies however few sales the load makes.
 */
export const createFirstSales = async (writing: Writing): Promise<void> => {
  for (const { id, program_id } of writing.known.affiliates) {
    if (program_id !== 'prog_first' && program_id !== 'prog_months') continue;
    for (const day of occurrences) {
      await createAtOnce(writing, {
        what: 'conversion.create',
        method: 'POST',
        path: '/v1/conversions',
        body: {
          affiliate_id: id,
          sale_amount: 10_000,
          sale_currency: 'USD',
          customer_id: 'first-customer',
          occurred_at: `${day}T12:00:00.000Z`,
        },
        key: writing.known.name('key'),
      });
    }
  }
};
