import { totalOf, type KnownFigures } from '../data-set/known-figures.js';
import type { RebuildResult } from './rebuild.process.js';

/** Throws unless the rebuilt statistics are right to the cent. */
export const expectSums = ({ sums }: RebuildResult, known: KnownFigures): void => {
  for (const [currency, byStatus] of Object.entries(totalOf(known))) {
    for (const [status, { amount }] of Object.entries(byStatus)) {
      const counted = sums[currency]?.[status];
      if (counted !== BigInt(amount))
        throw new Error(
          `${currency} ${status} adds up to ${amount}, but the statistics have ${counted}`,
        );
    }
  }
};
