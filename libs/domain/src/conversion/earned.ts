import { isDeepStrictEqual } from 'node:util';
import { explicitCommission } from '@refledger/contracts';
import type { ConversionFields, TermsInForce, UpdateConversion } from '@refledger/contracts';
import { appliedTerms, type CommissionResult } from '../commission/applied-terms.js';
import type { SeriesSale } from '../commission/series.js';
import { integer } from '../integers.js';

/** The inputs of the commission besides the amounts. */
export interface Deal extends SeriesSale {
  /** ISO 4217, upper case. */
  readonly currency: string;
  /** The terms that the conversion was recorded with, or took later. */
  readonly terms: TermsInForce | null;
}

/** The amount paid, and how much of it was refunded, in the minor unit of the currency. */
type SaleAmounts = Pick<ConversionFields, 'sale_amount' | 'refunded_amount'>;

/** Returns what a new conversion earns. An amount that was sent takes the place of the terms. */
export const earnedAtFirst = (
  sale_amount: number,
  sent: number | null,
  deal: Deal,
): CommissionResult =>
  sent === null ? underTerms({ sale_amount, refunded_amount: 0 }, deal) : explicitly(sent);

/**
 * Returns what a conversion earns after a change. A `commission_amount` that was sent takes the
 * place of the terms, and null returns to them. The terms apply to the net amount, so they apply
 * again when it changes, and when a conversion without terms takes some. A refunded conversion
 * still shows what it has lost.
 */
export const earnedAfter = (
  before: ConversionFields,
  after: SaleAmounts & Pick<ConversionFields, 'status'>,
  { commission_amount: sent, commission: asked }: UpdateConversion,
  deal: Deal,
): CommissionResult => {
  const { source } = before.commission;
  const isExplicit = source === 'explicit';
  if (typeof sent === 'number') return explicitly(sent);
  if (sent === null && isExplicit) return underTerms(after, deal);
  if (asked === 'by_terms' && source === 'none') return underTerms(after, deal);
  const isRepriced = !isExplicit && after.status !== 'refunded' && net(after) !== net(before);
  const { commission_amount, commission } = before;
  return isRepriced ? underTerms(after, deal) : { commission_amount, commission };
};

/** Whether both earn the same, for the same reason. */
export const sameEarned = (a: CommissionResult, b: CommissionResult): boolean =>
  a.commission_amount === b.commission_amount && isDeepStrictEqual(a.commission, b.commission);

const explicitly = (amount: number): CommissionResult => ({
  commission_amount: integer(amount),
  commission: explicitCommission,
});

const underTerms = (paid: SaleAmounts, deal: Deal): CommissionResult =>
  appliedTerms({ netAmount: net(paid), ...deal }, deal.terms);

const net = ({ sale_amount, refunded_amount }: SaleAmounts): number =>
  sale_amount - refunded_amount;
