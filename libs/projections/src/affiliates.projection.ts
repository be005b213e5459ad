import {
  accountOf,
  affiliateList,
  type AffiliateEvent,
  type AffiliateHashes,
  type RecordedEvent,
  type SealedAffiliateRecord,
} from '@refledger/contracts';
import { changedRecord, metaOf, newAffiliateRecord } from '@refledger/domain';
import { indexesOf, projectionOf, type RecordDocument } from './projection.js';

/**
 * The affiliates of every account, without deleted ones, as lists find them. Their personal values
 * stay sealed.
 */
export const affiliatesProjection = projectionOf<'affiliate', AffiliateDocument>(['affiliate'], {
  name: 'affiliates',
  version: 7,
  collections: [{ name: 'affiliates', indexes: indexesOf(affiliateList) }],
  keysOf: ({ type, data }) => [
    { collection: 'affiliates', id: data.affiliate_id, begins: type === 'affiliate.created' },
  ],
  evolve: (document, event) => affiliateDocumentAfter(document, event),
});

export interface AffiliateDocument extends RecordDocument<SealedAffiliateRecord> {
  readonly email_hash: AffiliateHashes['email'];
  readonly external_id_hash: AffiliateHashes['external_id'];
}

/** The document of an affiliate after an event. Its personal values stay sealed. */
export const affiliateDocumentAfter = (
  document: AffiliateDocument | undefined,
  event: RecordedEvent<AffiliateEvent>,
): AffiliateDocument | null | undefined => {
  if (event.type === 'affiliate.deleted' || event.type === 'affiliate.erased')
    return document && null;
  const record = recordAfter(document?.record, event);
  if (record === undefined) return undefined;
  const { email, external_id } = event.data.hashes;
  return {
    account_id: accountOf(event),
    email_hash: email,
    external_id_hash: external_id,
    record,
  };
};

const recordAfter = (
  before: SealedAffiliateRecord | undefined,
  event: RecordedEvent<
    Exclude<AffiliateEvent, { readonly type: 'affiliate.deleted' | 'affiliate.erased' }>
  >,
): SealedAffiliateRecord | undefined => {
  if (event.type === 'affiliate.created') return newAffiliateRecord(event.data, metaOf(event));
  return before && changedRecord(before, event, metaOf(event));
};
