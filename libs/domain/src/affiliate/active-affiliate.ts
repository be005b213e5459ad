import { DomainError, type SealedAffiliateRecord, type ProgramId } from '@refledger/contracts';
import type { AffiliateState } from './affiliate.decider.js';

/**
 * Returns the affiliate that a new sale names by this id. Throws `affiliate_not_found` if there is
 * none (in this program, if one is given), and `affiliate_not_active` if it is rejected or
 * suspended.
 */
export const requireActiveAffiliate = (
  affiliate: AffiliateState,
  id: string,
  program?: ProgramId,
): SealedAffiliateRecord => {
  if (
    affiliate.kind !== 'present' ||
    (program !== undefined && affiliate.record.program_id !== program)
  )
    throw affiliateNotFound(id, program);
  const { record } = affiliate;
  if (record.status === 'rejected' || record.status === 'suspended')
    throw new DomainError(
      'affiliate_not_active',
      `Affiliate ${record.id} is ${record.status} and cannot receive new conversions. Approve it first.`,
    );
  return record;
};

/** The refusal of a request that names an affiliate of another account, or of another program. */
export const affiliateNotFound = (id: string, program?: ProgramId): DomainError =>
  new DomainError(
    'affiliate_not_found',
    `affiliate_id ${JSON.stringify(id)} is not an affiliate of ${program === undefined ? 'this account' : `program ${program}`}. Send the id of one that exists.`,
  );
