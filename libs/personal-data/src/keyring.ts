import type { AccountId, AffiliateId, StreamName } from '@refledger/contracts';
import type { KeyStore } from '@refledger/key-store';
import {
  newWrappedAccountKeys,
  newWrappedKey,
  type PersonalKey,
  type SecretBox,
} from '@refledger/sealing';
import { AccountKeyring } from './account-keyring.js';
import { openedKey } from './opened-key.js';

/** A new affiliate, whose key is made. */
export interface NewOwner {
  readonly accountId: AccountId;
  readonly affiliateId: AffiliateId;
  /** The stream of the claim on its email. */
  readonly claim: StreamName;
  /** The time of the command (RFC 3339). */
  readonly at: string;
}

/**
 * Creates and finds the keys of accounts and affiliates. A stored key is never replaced by another.
 */
export class Keyring extends AccountKeyring {
  constructor(
    private readonly store: Pick<KeyStore, 'put' | 'getMany'>,
    private readonly box: SecretBox,
  ) {
    super(store, box);
  }

  /**
   * Makes the keys of an account durable. Call it only before the account's first event: with other
   * keys, existing claims and affiliates could not be found.
   */
  async createForAccount(account: AccountId, at: string): Promise<void> {
    const key = newWrappedAccountKeys(this.box, account);
    await this.store.put(account, { accountId: account, key, claim: null, at });
  }

  /**
   * Makes the key of a new affiliate durable, or returns the one that another request made.
   * Undefined if the affiliate was erased in the meantime. Throws `PersonalDataUnavailable` if the
   * key does not open.
   */
  async createForAffiliate({
    accountId,
    affiliateId,
    claim,
    at,
  }: NewOwner): Promise<PersonalKey | undefined> {
    const key = newWrappedKey(this.box, affiliateId);
    const stored = await this.store.put(affiliateId, { accountId, key, claim, at });
    return openedKey(this.box, affiliateId, stored);
  }
}
