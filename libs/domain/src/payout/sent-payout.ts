import { normalizeCurrency, type NewPayout } from '@refledger/contracts';
import type { PayoutCreated } from './payout-record.js';

/**
 * Returns what a request asks for, in a form that can be compared: its currency in upper case, and
 * null for a day or text that it omits.
 */
export const normalized = (sent: NewPayout) => ({
  affiliate_id: sent.affiliate_id,
  currency: normalizeCurrency(sent.currency),
  until: sent.until ?? null,
  ignore_minimum: sent.ignore_minimum ?? false,
  partial: sent.partial ?? false,
  even_if_not_approved: sent.even_if_not_approved ?? false,
  description: sent.description ?? null,
  metadata: sent.metadata ?? {},
});

/** Returns the same for the request that created a payout. */
export const asSent = (created: PayoutCreated['data']): ReturnType<typeof normalized> => ({
  affiliate_id: created.affiliate_id,
  currency: created.currency,
  until: created.reported_until,
  ignore_minimum: created.ignore_minimum,
  partial: created.partial,
  even_if_not_approved: created.even_if_not_approved,
  description: created.description,
  metadata: created.after.metadata,
});
