import { isDeepStrictEqual } from 'node:util';
import { validationError } from '@refledger/contracts';
import type { AffiliateFields, OpenAffiliateRecord, UpdateAffiliate } from '@refledger/contracts';
import { storedAffiliateTerms } from '../commission/stored-terms.js';

/** Returns the fields of a new affiliate. */
export const newFields = (
  created: Pick<AffiliateFields, 'email' | 'external_id' | 'name' | 'metadata'>,
): AffiliateFields => ({
  ...created,
  status: 'pending',
  commission: null,
  commission_version: 0,
  payout_email: null,
  payout_hold: false,
  payout_hold_reason: null,
  reason: null,
});

/** Returns the fields of a record that can change. */
export const fieldsOf = ({
  id: _id,
  object: _object,
  program_id: _programId,
  created_at: _createdAt,
  updated_at: _updatedAt,
  approved_at: _approvedAt,
  revision: _revision,
  ...fields
}: OpenAffiliateRecord): AffiliateFields => fields;

/**
 * Returns the fields after a patch, except its status and reason. Throws `validation_failed` if it
 * gives a reason although there is no hold.
 */
export const patched = (before: AffiliateFields, patch: UpdateAffiliate): AffiliateFields => ({
  ...before,
  name: patch.name?.trim() ?? before.name,
  email: patch.email ?? before.email,
  external_id: patch.external_id === undefined ? before.external_id : patch.external_id,
  ...commissionAfter(before, patch),
  payout_email: patch.payout_email === undefined ? before.payout_email : patch.payout_email,
  ...holdAfter(before, patch),
  metadata: patch.metadata ?? before.metadata,
});

/**
 * Returns the affiliate's own terms after a patch. Sending the same terms again makes no new
 * version.
 */
const commissionAfter = (
  { commission, commission_version }: AffiliateFields,
  patch: UpdateAffiliate,
): Pick<AffiliateFields, 'commission' | 'commission_version'> => {
  const wanted = patch.commission ? storedAffiliateTerms(patch.commission) : patch.commission;
  return wanted === undefined || isDeepStrictEqual(wanted, commission)
    ? { commission, commission_version }
    : { commission: wanted, commission_version: commission_version + 1 };
};

/** Returns the hold after a patch. Its reason ends with it. */
const holdAfter = (
  before: AffiliateFields,
  {
    payout_hold = before.payout_hold,
    payout_hold_reason = payout_hold ? before.payout_hold_reason : null,
  }: UpdateAffiliate,
): Pick<AffiliateFields, 'payout_hold' | 'payout_hold_reason'> => {
  if (!payout_hold && payout_hold_reason !== null)
    throw validationError({
      path: '/payout_hold_reason',
      code: 'without_hold',
      message:
        'payout_hold_reason is accepted only while payout_hold is true. Send payout_hold with the value true as well, or leave the reason out.',
    });
  return { payout_hold, payout_hold_reason };
};

/** Returns the email address to which an affiliate's money is sent. */
export const recipientOf = ({
  payout_email,
  email,
}: Pick<OpenAffiliateRecord, 'payout_email' | 'email'>): string => payout_email ?? email;
