import type { AccountId, AffiliateId } from '@refledger/contracts';
import { SealedUnreadable } from '@refledger/sealing';
import { PersonalDataUnavailable } from './personal-data-unavailable.js';

/** The result of opening something of an owner. Throws `unavailable` if it does not open. */
export const unwrapped = <T>(owner: AccountId | AffiliateId, open: () => T): T => {
  try {
    return open();
  } catch (error) {
    if (!(error instanceof SealedUnreadable)) throw error;
    throw new PersonalDataUnavailable(
      `The personal data of ${owner} does not open: ${error.message}. Restore the key store (KEY_STORE_URL) of this event log, and set SECRETS_KEY to the keys that wrapped it.`,
    );
  }
};
