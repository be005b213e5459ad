import { hashOf } from '@refledger/contracts';
import type { AccountId, AffiliateId, CustomerEvent } from '@refledger/contracts';
import { claimDecider } from '../claim/claim.decider.js';

/** An affiliate's first sale to a customer, and the append that records it. */
export type Customer = CustomerEvent['data'];

/**
 * Decides which sale to a customer is the first. A claim whose append was made is never replaced,
 * and one whose append can never succeed can always be replaced, so a verdict needs no other
 * stream.
 */
export const customerDecider = claimDecider((data: Customer): CustomerEvent => ({
  type: 'customer.referred',
  data,
}));

/** Returns the hash that names a customer's stream. */
export const customerHash = (customer: {
  account_id: AccountId;
  affiliate_id: AffiliateId;
  customer_id: string;
}): string =>
  hashOf('customer', customer.account_id, customer.affiliate_id, customer.customer_id).toString(
    'hex',
  );
