import { DomainError, type AffiliateRecord } from '@refledger/contracts';
import type { AffiliateState } from './affiliate.decider.js';

/**
 * Returns the affiliate that a new sale names by this id. Throws `affiliate_not_found` if there is
 * none, and `affiliate_not_active` if it is rejected or suspended.
 */
export const requireActiveAffiliate = (affiliate: AffiliateState, id: string): AffiliateRecord => {
  if (affiliate.kind !== 'present')
    throw new DomainError(
      'affiliate_not_found',
      `affiliate_id ${JSON.stringify(id)} is not an affiliate of this account. Send the id of one that exists.`,
    );
  const { record } = affiliate;
  if (record.status === 'rejected' || record.status === 'suspended')
    throw new DomainError(
      'affiliate_not_active',
      `Affiliate ${record.id} is ${record.status} and cannot receive new conversions. Approve it first.`,
    );
  return record;
};
