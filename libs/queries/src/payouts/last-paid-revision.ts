import type { AccountId, AffiliateId, PayoutRecord } from '@refledger/contracts';
import { payoutsProjection } from '@refledger/projections';
import { equals } from '../equals.js';
import type { MoneyReads } from '../money-reads.js';

/**
 * Returns the revision of the recipient of the affiliate's last completed payout; undefined if
 * there is none. A recipient with a later one has changed since the affiliate was last paid.
 */
export const lastPaidRevision = async (
  money: Pick<MoneyReads, 'find'>,
  account_id: AccountId,
  affiliate_id: AffiliateId,
): Promise<number | undefined> => {
  const { value } = await money.find(payoutsProjection, {
    where: equals({ account_id, affiliate_id, status: 'completed' }),
    order: { fields: ['completed_at', 'id'], descending: true },
    limit: 1,
  });
  // a decoding boundary: the projection wrote the records that its documents hold
  return (value[0]?.record as PayoutRecord | undefined)?.payee_revision;
};
