import { createHmac, randomBytes } from 'node:crypto';
import type { AccountId } from '@refledger/contracts';
import { keyBytes } from './aes-gcm.js';
import { textSealer, type TextSealer } from './sealed-text.js';
import type { SecretBox } from './secret-box.js';

/**
 * The keys of one account: one hashes the values by which affiliates are found, and one seals the
 * response excerpts of deliveries that are no affiliate's.
 */
export interface AccountKeys extends TextSealer<'excerpt'> {
  /**
   * HMAC-SHA-256, truncated to 128 bits, in base64url (22 characters). Nobody without the key can test whether a value has
   * this hash, and the same value has another hash under each label and in each account.
   */
  hash(label: HashLabel, ...parts: readonly string[]): string;
}
/** What is hashed: a field to find affiliates by, or a search term. */
export type HashLabel = 'email' | 'external_id' | 'q';

/** Returns random keys for this account, wrapped for the key store as one text. */
export const newWrappedAccountKeys = (box: Pick<SecretBox, 'wrap'>, accountId: AccountId): string =>
  box.wrap(randomBytes(2 * keyBytes), accountId);

/** Unwraps the keys of this account. Throws `SealedUnreadable`. */
export const openAccountKeys = (
  box: Pick<SecretBox, 'unwrap'>,
  accountId: AccountId,
  wrapped: string,
): AccountKeys => {
  const keys = box.unwrap(wrapped, accountId);
  const hashing = keys.subarray(0, keyBytes);
  return {
    ...textSealer<'excerpt'>(keys.subarray(keyBytes), accountId),
    hash: (label, ...parts) =>
      createHmac('sha256', hashing)
        .update([label, ...parts].map(withLength).join(''))
        .digest()
        .toString('base64url', 0, hashBytes),
  };
};

const hashBytes = 16;

/** No two different lists of parts give the same text. */
const withLength = (part: string): string => `${Buffer.byteLength(part)}:${part}`;
