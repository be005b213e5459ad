/**
 * Crockford's base32 in lower case, without padding. It has no i, l, o or u, so an id can be read
 * aloud.
 */
const ALPHABET = '0123456789abcdefghjkmnpqrstvwxyz';

/** Encodes bytes, most significant bit first. 16 bytes give 26 characters, and 20 bytes give 32. */
export const toBase32 = (bytes: Uint8Array): string => {
  let text = '';
  let buffer = 0;
  let bits = 0;
  for (const byte of bytes) {
    buffer = (buffer << 8) | byte;
    bits += 8;
    while (bits >= 5) {
      bits -= 5;
      text += ALPHABET.charAt((buffer >>> bits) & 31);
    }
    buffer &= (1 << bits) - 1;
  }
  return bits > 0 ? text + ALPHABET.charAt((buffer << (5 - bits)) & 31) : text;
};

/** Decodes text that `toBase32` encoded; undefined for any text that `toBase32` never returns. */
export const fromBase32 = (text: string): Uint8Array | undefined => {
  const bytes: number[] = [];
  let buffer = 0;
  let bits = 0;
  for (const character of text) {
    const value = ALPHABET.indexOf(character);
    if (value < 0) return undefined;
    buffer = (buffer << 5) | value;
    bits += 5;
    if (bits < 8) continue;
    bits -= 8;
    bytes.push(buffer >>> bits);
    buffer &= (1 << bits) - 1;
  }
  const decoded = Uint8Array.from(bytes);
  return toBase32(decoded) === text ? decoded : undefined;
};
