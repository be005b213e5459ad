import type { AccountId, SealedAffiliateRecord } from '@refledger/contracts';
import type { KeyReader } from '@refledger/key-store';
import type { AccountKeys, SecretBox } from '@refledger/sealing';
import { AccountKeyring } from './account-keyring.js';
import { PersonalData } from './personal-data.js';
import { searchQuery, termsOf, type SearchedValues } from './search-terms.js';

/** An affiliate as read models have it. */
export interface AccountAffiliate {
  readonly account_id: AccountId;
  readonly record: SealedAffiliateRecord;
}

/**
 * Returns the function that makes the hashed terms of affiliates, by which `q` finds them; undefined
 * for erased ones. It opens all of them with one call for their keys. It throws `unavailable` if the
 * key store lacks a key, or if one does not open.
 */
export const newSearchTerms = (store: Pick<KeyReader, 'getMany'>, box: SecretBox) => {
  const personalData = new PersonalData(store, box);
  const keyring = new AccountKeyring(store, box);
  return async (
    affiliates: readonly AccountAffiliate[],
  ): Promise<readonly (readonly string[] | undefined)[]> => {
    const opened = await personalData.openUnlessErased(affiliates.map(({ record }) => record));
    const terms: (readonly string[] | undefined)[] = [];
    for (const [n, { account_id }] of affiliates.entries()) {
      const values = opened[n];
      terms.push(values && hashedTerms(await keyring.ofAccount(account_id), values));
    }
    return terms;
  };
};

const hashedTerms = (keys: Pick<AccountKeys, 'hash'>, values: SearchedValues): readonly string[] =>
  [...termsOf(values)].map((term) => termHashOf(keys, term));

/** What a client searches the affiliates of its account for. */
export interface AffiliateQuery {
  /** Each affiliate that matches has at least one of these hashed terms. */
  readonly terms: readonly string[];
  /** Whether an affiliate matches. */
  readonly matches: (values: SearchedValues) => boolean;
}

/** Returns the query for the text of `q`; null if it has fewer than 3 characters. */
export const affiliateQuery = (
  keys: Pick<AccountKeys, 'hash'>,
  q: string,
): AffiliateQuery | null => {
  const query = searchQuery(q);
  return query && { ...query, terms: query.terms.map((term) => termHashOf(keys, term)) };
};

/** Finds the affiliates of an account with this search term. */
const termHashOf = (keys: Pick<AccountKeys, 'hash'>, term: string): string => keys.hash('q', term);
