import type { AccountId, KeyId } from '@refledger/contracts';

/** Finds the names of keys without reading anything. */
export interface KeyNames {
  /** The name of a live key of this account; undefined for any other key. */
  nameOf(account: AccountId, key: KeyId): string | undefined;
}
