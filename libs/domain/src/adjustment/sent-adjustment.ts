import { normalizeCurrency, type NewAdjustment } from '@refledger/contracts';
import type { AdjustmentCreated } from './adjustment-record.js';

/**
 * Returns what a request asks for, in a form that can be compared: its currency in upper case, and
 * null for a day or an id that it omits.
 */
export const normalized = (sent: NewAdjustment) => ({
  affiliate_id: sent.affiliate_id,
  currency: normalizeCurrency(sent.currency),
  amount: sent.amount,
  description: sent.description,
  payable_on: sent.payable_on ?? null,
  external_id: sent.external_id ?? null,
  metadata: sent.metadata ?? {},
});

/** Returns the same for the request that created an adjustment. */
export const asSent = (created: AdjustmentCreated['data']): ReturnType<typeof normalized> => ({
  affiliate_id: created.affiliate_id,
  currency: created.currency,
  amount: created.amount,
  description: created.description,
  payable_on: created.reported_payable_on,
  external_id: created.external_id,
  metadata: created.after.metadata,
});
