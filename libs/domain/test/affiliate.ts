import { affiliateDefaults, type AffiliateFields } from '@refledger/contracts';

/** The fields of an approved affiliate. */
export const affiliateFields: AffiliateFields = {
  email: 'ada@example.com',
  name: 'Ada',
  status: 'approved',
  ...affiliateDefaults,
  reason: null,
  metadata: {},
};
