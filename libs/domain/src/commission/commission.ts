import type { Commission, Terms } from '@refledger/contracts';
import { placeInSeries, type SeriesSale } from './series.js';

/** The parts of a sale that its commission depends on. */
export interface CommissionableSale extends SeriesSale {
  /** The amount paid less the amount refunded, in the minor unit of the currency. */
  readonly netAmount: number;
  /** ISO 4217, upper case. */
  readonly currency: string;
}

interface EarnedUnderTerms {
  /** In the minor unit of the sale's currency. */
  readonly amount: number;
  readonly why: Exclude<Commission['why'], 'no_terms' | 'explicit'>;
}

/**
 * Returns what a sale earns under terms. It is exact and rounded once, half up, before the cap:
 * 12.5 minor units are 13.
 */
export const commissionOf = (sale: CommissionableSale, terms: Terms): EarnedUnderTerms => {
  const place = placeInSeries(sale, terms.recurring);
  if (place !== 'earning') return { amount: 0, why: place };
  const amount = amountBeforeCap(sale, terms);
  if (amount === undefined) return { amount: 0, why: 'no_amount_in_currency' };
  const cap = terms.caps?.[sale.currency] ?? Infinity;
  return amount > cap ? { amount: cap, why: 'capped' } : { amount, why: 'applied' };
};

/** Undefined when flat terms have no amount in the sale's currency, which is never converted. */
const amountBeforeCap = (
  { netAmount, currency }: CommissionableSale,
  terms: Terms,
): number | undefined => {
  switch (terms.type) {
    case 'percentage':
      return Number((BigInt(netAmount) * BigInt(terms.rate_bps) + 5_000n) / 10_000n);
    case 'flat':
      return terms.amounts[currency];
  }
};
