import type { AccountId, AffiliateId, ResponseExcerpt } from '@refledger/contracts';
import type { AccountKeys, PersonalKey } from '@refledger/sealing';
import { unwrapped } from './unwrapped.js';

/** The key of the texts of one delivery. Keep it no longer than an attempt or a response takes. */
export interface DeliveryKey {
  /** Whether the key was destroyed: nothing opens, and nothing more is stored. */
  readonly isErased: boolean;
  /** The bytes of a stored body; null if nothing is stored, or if the key was destroyed. */
  openBody(stored: string | null): string | null;
  /** The text to store of a response; null if the key was destroyed. */
  sealResponse(response: ResponseExcerpt): Promise<string | null>;
  /** The response that a stored text holds; null if the key was destroyed. */
  openResponse(sealed: string): Promise<ResponseExcerpt | null>;
}

/** The key of a delivery about this affiliate: it seals both texts. */
export const affiliateDeliveryKey = (id: AffiliateId, key: PersonalKey): DeliveryKey => ({
  isErased: false,
  openBody: (stored) => stored && unwrapped(id, () => key.open('body', stored)),
  sealResponse: (response) => Promise.resolve(key.seal('excerpt', JSON.stringify(response))),
  openResponse: (sealed) =>
    Promise.resolve(excerptIn(unwrapped(id, () => key.open('excerpt', sealed)))),
});

/**
 * The key of a delivery that is about no affiliate: its body is stored as it is, and the keys of
 * its account seal what its receiver answered.
 */
export const accountDeliveryKey = (
  id: AccountId,
  keys: () => Promise<AccountKeys>,
): DeliveryKey => ({
  isErased: false,
  openBody: (stored) => stored,
  sealResponse: async (response) => (await keys()).seal('excerpt', JSON.stringify(response)),
  async openResponse(sealed) {
    const key = await keys();
    return excerptIn(unwrapped(id, () => key.open('excerpt', sealed)));
  },
});

/** The key of a delivery about an erased affiliate. */
export const erasedDeliveryKey: DeliveryKey = {
  isErased: true,
  openBody: () => null,
  sealResponse: () => Promise.resolve(null),
  openResponse: () => Promise.resolve(null),
};

const excerptIn = (text: string): ResponseExcerpt =>
  // a decoding boundary: `sealResponse` made the text
  JSON.parse(text) as ResponseExcerpt;
