import { keysOf, normaliseCurrency, unreported } from '@refledger/contracts';
import type { ReportedSale, Sale } from '@refledger/contracts';
import { integer } from '../integers.js';
import { sameMetadata } from '../same-metadata.js';

/** Returns the sale as it is recorded: complete, with its amount and currency normalised. */
export const normalised = ({
  affiliate_id,
  sale_amount,
  sale_currency,
  ...optional
}: ReportedSale): Sale => ({
  affiliate_id,
  sale_amount: integer(sale_amount),
  sale_currency: normaliseCurrency(sale_currency),
  ...unreported,
  ...optional,
});

/** Whether two recorded sales are the same one. */
export const sameSale = (a: Sale, b: Sale): boolean =>
  keysOf(a).every((field) =>
    field === 'metadata' ? sameMetadata(a.metadata, b.metadata) : a[field] === b[field],
  );
