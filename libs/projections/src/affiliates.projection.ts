import type { AccountId, AffiliateEvent, AffiliateRecord, Recorded } from '@refledger/contracts';
import { affiliateDecider, affiliateRecord, metaOf, type AffiliateState } from '@refledger/domain';
import type { Document } from '@refledger/read-store';
import { listedBy } from './indexes.js';
import type { Projection } from './projection.js';

/** The affiliates of every account, without deleted ones, as the API lists them. */
export const affiliatesProjection: Projection = {
  name: 'affiliates',
  version: 2,
  collections: [
    {
      name: 'affiliates',
      indexes: [
        listedBy(['email_key']),
        listedBy(['program_id'], ['status']),
        listedBy(['status']),
        listedBy([]),
      ],
    },
  ],
  keysOf: (event) =>
    isAffiliateEvent(event)
      ? [
          {
            collection: 'affiliates',
            id: event.data.affiliate_id,
            begins: event.type === 'affiliate.created',
          },
        ]
      : [],
  evolve: (document, event) => {
    if (!isAffiliateEvent(event)) return undefined;
    const state = affiliateDecider.evolve(stateOf(document), event, metaOf(event));
    if (state.kind === 'deleted') return null;
    const record = affiliateRecord(state);
    return record && toDocument(event.metadata.account_id as AccountId, record);
  },
};

/** The stored record of an affiliate. E-mail addresses are compared by `email_key`. */
export type AffiliateDocument = AffiliateRecord & {
  readonly account_id: AccountId;
  readonly email_key: string;
};

/** Normalizes an e-mail address for comparison. */
export const emailKey = (email: string): string => email.toLowerCase();

/** Returns the API's record of a document. */
export const affiliateFromDocument = (document: Document): AffiliateRecord => {
  const { account_id: _, email_key: __, ...record } = document as AffiliateDocument;
  return record;
};

const isAffiliateEvent = (event: Recorded): event is Recorded<AffiliateEvent> =>
  event.type.startsWith('affiliate.');

const toDocument = (account_id: AccountId, record: AffiliateRecord): AffiliateDocument => ({
  account_id,
  email_key: emailKey(record.email),
  ...record,
});

/** Only decisions depend on how the affiliate was created, so the current record serves here. */
const stateOf = (document: Document | undefined): AffiliateState => {
  if (document === undefined) return affiliateDecider.initial;
  const record = affiliateFromDocument(document);
  return { kind: 'present', record, asCreated: record };
};
