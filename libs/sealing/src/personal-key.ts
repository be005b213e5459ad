import { randomBytes } from 'node:crypto';
import type { AffiliateId } from '@refledger/contracts';
import { keyBytes } from './aes-gcm.js';
import { textSealer, type TextSealer } from './sealed-text.js';
import type { SecretBox } from './secret-box.js';

/**
 * The key of one affiliate. It seals the personal values of its events, and the bodies and response
 * excerpts of its deliveries. Keep it no longer than a request, a page or a batch takes.
 */
export type PersonalKey = TextSealer<'values' | 'body' | 'excerpt'>;

/** Returns a random key for this affiliate, wrapped for the key store. */
export const newWrappedKey = (box: Pick<SecretBox, 'wrap'>, owner: AffiliateId): string =>
  box.wrap(randomBytes(keyBytes), owner);

/** Unwraps the key of this affiliate. Throws `SealedUnreadable`. */
export const openKey = (
  box: Pick<SecretBox, 'unwrap'>,
  owner: AffiliateId,
  wrapped: string,
): PersonalKey => textSealer(box.unwrap(wrapped, owner), owner);
