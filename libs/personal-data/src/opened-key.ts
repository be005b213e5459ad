import type { AffiliateId } from '@refledger/contracts';
import type { StoredKey } from '@refledger/key-store';
import { openKey, type PersonalKey, type SecretBox } from '@refledger/sealing';
import { PersonalDataUnavailable } from './personal-data-unavailable.js';
import { unwrapped } from './unwrapped.js';

/**
 * Unwraps the stored key of an affiliate; undefined if the affiliate was erased. Throws
 * `unavailable` if there is no key, which is not the same.
 */
export const openedKey = (
  box: SecretBox,
  id: AffiliateId,
  stored: StoredKey | undefined,
): PersonalKey | undefined => {
  if (stored === undefined)
    throw new PersonalDataUnavailable(
      `The key store (KEY_STORE_URL) has no key of affiliate ${id}. Restore the key store of this event log.`,
    );
  return stored.kind === 'erased' ? undefined : unwrapped(id, () => openKey(box, id, stored.key));
};
