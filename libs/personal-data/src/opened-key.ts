import type { AffiliateId } from '@refledger/contracts';
import type { StoredKey } from '@refledger/key-store';
import { openKey, type PersonalKey, type SecretBox } from '@refledger/sealing';
import { PersonalDataUnavailable } from './personal-data-unavailable.js';
import { unwrapped } from './unwrapped.js';

/** Unwraps the stored key of an affiliate. Throws `unavailable` if there is none. */
export const openedKey = (
  box: SecretBox,
  id: AffiliateId,
  stored: StoredKey | undefined,
): PersonalKey => {
  if (stored?.kind !== 'key')
    throw new PersonalDataUnavailable(
      `The key store (KEY_STORE_URL) has no key of affiliate ${id}. Restore the key store of this event log.`,
    );
  return unwrapped(id, () => openKey(box, id, stored.key));
};
