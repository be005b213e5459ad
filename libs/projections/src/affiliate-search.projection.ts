import { streamNamed, type AffiliateId } from '@refledger/contracts';
import type { ProjectionSpec } from '@refledger/read-store';
import { affiliateDocumentAfter, type AffiliateDocument } from './affiliates.projection.js';
import { listedBy, projectionOf, type Projection } from './projection.js';

/** An affiliate as `q` finds it: sealed, with the hashes of its search terms. */
export interface AffiliateSearchDocument extends AffiliateDocument {
  /** Undefined until they are made. */
  readonly terms?: readonly string[] | undefined;
}

/** The affiliates of every account, without deleted ones, by their search terms. */
export const affiliateSearch: ProjectionSpec = {
  name: 'affiliate_search',
  version: 1,
  collections: [
    { name: 'affiliate_search', indexes: [{ ...listedBy(['terms']), multikey: 'terms' }] },
  ],
};

/** Makes the hashed terms of affiliates with one call; undefined for erased ones. */
export type MakeTerms = (
  affiliates: readonly AffiliateSearchDocument[],
) => Promise<readonly (readonly string[] | undefined)[]>;

/** What the documents need besides events. */
export interface TermsSource {
  readonly makeTerms: MakeTerms;
  /** Whether the log deletes the affiliate, at any position. */
  readonly isDeleted: (id: AffiliateId) => Promise<boolean>;
}

/** The projection with its code. The terms need open values, so its documents need keys. */
export const affiliateSearchProjection = (source: TermsSource): Projection =>
  projectionOf<'affiliate', AffiliateSearchDocument>(['affiliate'], {
    ...affiliateSearch,
    prefix: streamNamed('affiliate'),
    keysOf: ({ type, data }) => [
      {
        collection: 'affiliate_search',
        id: data.affiliate_id,
        begins: type === 'affiliate.created',
      },
    ],
    evolve: (document, event) => {
      const after = affiliateDocumentAfter(document, event);
      // most events change no personal value, and repeat the sealed text
      return after && after.record.sealed === document?.record.sealed
        ? { ...after, terms: document.terms }
        : after;
    },
    complete: async (documents) => {
      const unmade = documents.filter(({ terms }) => terms === undefined);
      const made = (await termsOf(unmade, source)).values();
      return documents.map((document) => {
        if (document.terms !== undefined) return document;
        const terms = made.next().value;
        return terms && { ...document, terms };
      });
    },
  });

/** An affiliate whose key is lost holds up the others only until it is deleted. */
const termsOf = async (
  affiliates: readonly AffiliateSearchDocument[],
  { makeTerms, isDeleted }: TermsSource,
): ReturnType<MakeTerms> => {
  try {
    return await makeTerms(affiliates);
  } catch (error) {
    const deleted = await Promise.all(affiliates.map(({ record }) => isDeleted(record.id)));
    if (!deleted.includes(true)) throw error;
    const made = (await makeTerms(affiliates.filter((_, n) => deleted[n] !== true))).values();
    return deleted.map((isGone) => (isGone ? undefined : made.next().value));
  }
};
