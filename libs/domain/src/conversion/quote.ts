import type { ProgramId, Quote, QuotedSale } from '@refledger/contracts';
import { requireActiveAffiliate } from '../affiliate/active-affiliate.js';
import { requireActiveProgram } from '../program/active-program.js';
import type { RecordSale } from './new-conversion.js';
import { occurrenceOf } from './occurrence.js';
import { priceOf } from './price.js';
import { requireSaleCurrency } from './sale-currency.js';
import { paid } from './sale.js';

/** A sale to be quoted as if it were recorded now, and everything that its price depends on. */
export interface QuoteSale extends Pick<
  RecordSale,
  'affiliate' | 'program' | 'firstOccurredAt' | 'recordedAt'
> {
  readonly program_id: ProgramId;
  readonly sale: QuotedSale;
}

/**
 * Returns what a sale would earn if it were recorded now. It refuses what a new conversion refuses,
 * in the same order, and also the affiliate of another program.
 */
export const quoted = ({
  program_id,
  program,
  affiliate: affiliateState,
  firstOccurredAt,
  sale: { affiliate_id, customer_id: _, ...sale },
  recordedAt,
}: QuoteSale): Quote => {
  const { sale_amount, sale_currency, occurred_at } = paid(sale);
  const occurredAt = occurrenceOf(occurred_at, recordedAt);
  requireSaleCurrency(sale_currency, occurred_at);
  const affiliate =
    affiliate_id === undefined
      ? undefined
      : requireActiveAffiliate(affiliateState, affiliate_id, program_id);
  requireActiveProgram(program, 'conversions');
  const { earned, payable_on } = priceOf(
    {
      sale_amount,
      sale_currency,
      commission_amount: null,
      occurredAt,
      firstOccurredAt,
      recordedAt,
    },
    program,
    affiliate,
  );
  return { ...earned, payable_on };
};
