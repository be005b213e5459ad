import { accountOf, affiliateList, emailKey, type AffiliateRecord } from '@refledger/contracts';
import { affiliateDecider, affiliateRecord, metaOf, type AffiliateState } from '@refledger/domain';
import { indexesOf, projectionOf, type RecordDocument } from './projection.js';

/** The affiliates of every account, without deleted ones, as the API lists them. */
export const affiliatesProjection = projectionOf<'affiliate', AffiliateDocument>(['affiliate'], {
  name: 'affiliates',
  version: 6,
  collections: [{ name: 'affiliates', indexes: indexesOf(affiliateList) }],
  keysOf: ({ type, data }) => [
    { collection: 'affiliates', id: data.affiliate_id, begins: type === 'affiliate.created' },
  ],
  evolve: (document, event) => {
    const state = affiliateDecider.evolve(stateOf(document), event, metaOf(event));
    if (state.kind === 'deleted') return null;
    const record = affiliateRecord(state);
    return record && { account_id: accountOf(event), email_key: emailKey(record.email), record };
  },
});

interface AffiliateDocument extends RecordDocument<AffiliateRecord> {
  readonly email_key: string;
}

/**
 * Only decisions depend on how the affiliate was created and on where its money is sent, so the
 * current record is enough here.
 */
const stateOf = (document: AffiliateDocument | undefined): AffiliateState => {
  if (document === undefined) return affiliateDecider.initial;
  const { record } = document;
  return { kind: 'present', record, asCreated: record, payeeRevision: 0 };
};
