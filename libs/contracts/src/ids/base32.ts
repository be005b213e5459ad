import { utils } from '@scure/base';

/**
 * Crockford's base32 in lower case, without padding. It has no i, l, o or u, so an id can be read
 * aloud.
 */
const base32 = utils.chain(
  utils.radix2(5),
  utils.alphabet('0123456789abcdefghjkmnpqrstvwxyz'),
  utils.join(''),
);

/** Encodes bytes, most significant bit first. 16 bytes give 26 characters, and 20 bytes give 32. */
export const toBase32 = (bytes: Uint8Array): string => base32.encode(bytes);

/** Decodes text that `toBase32` encoded; undefined for any text that `toBase32` never returns. */
export const fromBase32 = (text: string): Uint8Array | undefined => {
  try {
    const bytes = base32.decode(text);
    return toBase32(bytes) === text ? bytes : undefined;
  } catch {
    return undefined;
  }
};
