import { normalizeCurrency, toInstant, unreported } from '@refledger/contracts';
import type { ReportedSale, Sale } from '@refledger/contracts';
import { integer } from '../integers.js';
import type { ConversionCreated } from './conversion-record.js';

/**
 * Returns the sale as it is recorded: complete, with its amounts and currency normalized, and its
 * time in UTC, truncated to milliseconds.
 */
export const normalized = (sale: ReportedSale): Sale => {
  const { sale_amount, sale_currency, occurred_at } = paid(sale);
  const { commission_amount } = sale;
  return {
    affiliate_id: sale.affiliate_id,
    sale_amount,
    sale_currency,
    occurred_at,
    commission_amount: commission_amount === undefined ? null : integer(commission_amount),
    external_transaction_id: sale.external_transaction_id ?? unreported.external_transaction_id,
    customer_id: sale.customer_id ?? unreported.customer_id,
    metadata: sale.metadata ?? unreported.metadata,
  };
};

/** Returns what was paid, and when, as it is recorded. */
export const paid = ({
  sale_amount,
  sale_currency,
  occurred_at,
}: Pick<ReportedSale, 'sale_amount' | 'sale_currency' | 'occurred_at'>) => ({
  sale_amount: integer(sale_amount),
  sale_currency: normalizeCurrency(sale_currency),
  occurred_at: occurred_at === undefined ? null : toInstant(Date.parse(occurred_at)),
});

/** Returns the sale that a conversion was recorded from. */
export const saleOf = ({
  conversion_id: _id,
  program_id: _program,
  occurred_at: _occurredAt,
  payable_on: _payableOn,
  basis,
  after,
  ...fixed
}: ConversionCreated['data']): Sale => ({
  ...fixed,
  sale_amount: after.sale_amount,
  occurred_at: basis.reported_occurred_at,
  commission_amount: after.commission.source === 'explicit' ? after.commission_amount : null,
  metadata: after.metadata,
});
