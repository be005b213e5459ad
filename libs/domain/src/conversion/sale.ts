import { normaliseCurrency } from '@refledger/contracts';
import type { Metadata } from '@refledger/contracts';
import { sameMetadata } from '../same-metadata.js';

/**
 * A sale as a client reported it. Amounts are in the currency's minor unit, and the currency may be
 * in any case.
 */
export interface Sale {
  readonly affiliate_id: string;
  readonly sale_amount: number;
  readonly sale_currency: string;
  readonly external_transaction_id: string | null;
  readonly metadata: Metadata;
}

/**
 * Returns the sale with its amount and currency normalised. It drops other properties of the value.
 */
export const normalised = ({
  affiliate_id,
  sale_amount,
  sale_currency,
  external_transaction_id,
  metadata,
}: Sale): Sale => ({
  affiliate_id,
  sale_amount: amount(sale_amount),
  sale_currency: normaliseCurrency(sale_currency),
  external_transaction_id,
  metadata,
});

/** Returns the amount, with `-0`, which JSON allows, as 0. */
export const amount = (value: number): number => value + 0;

/** Whether two normalised sales are the same one. */
export const sameSale = (a: Sale, b: Sale): boolean =>
  a.affiliate_id === b.affiliate_id &&
  a.sale_amount === b.sale_amount &&
  a.sale_currency === b.sale_currency &&
  a.external_transaction_id === b.external_transaction_id &&
  sameMetadata(a.metadata, b.metadata);
