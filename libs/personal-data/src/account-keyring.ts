import type { AccountId } from '@refledger/contracts';
import type { KeyReader } from '@refledger/key-store';
import { openAccountKeys, type AccountKeys, type SecretBox } from '@refledger/sealing';
import { PersonalDataUnavailable } from './personal-data-unavailable.js';
import { unwrapped } from './unwrapped.js';

/** Finds the keys of accounts, and keeps them: they never change. */
export class AccountKeyring {
  private readonly accounts = new Map<AccountId, AccountKeys>();

  constructor(
    private readonly keys: Pick<KeyReader, 'getMany'>,
    private readonly secrets: SecretBox,
  ) {}

  /** Throws `PersonalDataUnavailable` if the key store lacks the keys, or if they do not open. */
  async ofAccount(account: AccountId): Promise<AccountKeys> {
    const known = this.accounts.get(account);
    if (known !== undefined) return known;
    const stored = (await this.keys.getMany([account])).get(account);
    if (stored?.kind !== 'key')
      throw new PersonalDataUnavailable(
        `The key store (KEY_STORE_URL) has no keys of account ${account}. Restore the key store of this event log.`,
      );
    const keys = unwrapped(account, () => openAccountKeys(this.secrets, account, stored.key));
    this.accounts.set(account, keys);
    return keys;
  }
}
