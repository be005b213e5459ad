import { hash, randomBytes } from 'node:crypto';
import { idPrefixes, toBase32, type AccountId } from '@refledger/contracts';
import { firstAccountId } from '@refledger/domain';

/** A new key of an account: `rk_<account's suffix>_<base32 of 160 random bits>`. */
export const newApiKey = (account: AccountId): string =>
  `rk_${account.slice(idPrefixes.account.length)}_${toBase32(randomBytes(20))}`;

/** The hash of a key, which is stored instead of the key: SHA-256, in hex. */
export const hashOfApiKey = (key: string): string => hash('sha256', key);

/**
 * The account that a key names. A string in any other form can only be the first account's
 * bootstrap key.
 */
export const accountOfApiKey = (key: string): AccountId => {
  const suffix = /^rk_([0-9a-hjkmnp-tv-z]{26})_[0-9a-hjkmnp-tv-z]{32}$/.exec(key)?.[1];
  return suffix === undefined ? firstAccountId : `${idPrefixes.account}${suffix}`;
};
