import { same } from '../canonical.js';
import { dueTrail, writtenTrail } from '../books/paid-trail.js';
import type { Facts } from '../facts.js';
import type { Comparison } from './comparison.js';

/**
 * Checks that each conversion shows the payouts that paid it, one after another and each once, and
 * none for money that came back.
 */
export const compareTrailed = ({ history }: Pick<Facts, 'history'>): Comparison => {
  const [due, written] = [dueTrail(history), writtenTrail(history)];
  const shown = [...written.values()];
  return {
    claim: 'conversions show what paid them',
    figures: {
      'paid conversions': shown.filter((payouts) => payouts.at(-1) !== null).length,
      'unpaid again': shown.filter((payouts) => payouts.includes(null)).length,
    },
    differences: [...new Set([...due.keys(), ...written.keys()])].flatMap((id) => {
      const [is = [], should = []] = [written.get(id), due.get(id)];
      return same(is, should)
        ? []
        : [
            `${id} showed ${JSON.stringify(is)}, one after another, but was paid by ${JSON.stringify(should)}`,
          ];
    }),
  };
};
