import fc from 'fast-check';
import { fromBase32, toBase32 } from './base32.js';

/**
 * Encodes independently of the code under test: the bits of all bytes in one string, five at a
 * time.
 */
const expected = (bytes: Uint8Array): string => {
  const bits = [...bytes].map((byte) => byte.toString(2).padStart(8, '0')).join('');
  return (bits.match(/.{1,5}/g) ?? [])
    .map((five) => '0123456789abcdefghjkmnpqrstvwxyz'.charAt(parseInt(five.padEnd(5, '0'), 2)))
    .join('');
};

it('encodes any bytes', () => {
  fc.assert(
    fc.property(fc.uint8Array({ maxLength: 40 }), (bytes) => {
      expect(toBase32(bytes)).toBe(expected(bytes));
    }),
  );
});

it('decodes only its own encoding', () => {
  fc.assert(
    fc.property(fc.uint8Array({ maxLength: 40 }), (bytes) => {
      expect(fromBase32(toBase32(bytes))).toEqual(bytes);
    }),
  );
  for (const wrong of ['u', '0U', '01', '000', 'a-']) expect(fromBase32(wrong)).toBeUndefined();
  const similar = fc.string({
    unit: fc.constantFrom(...'0123456789abcdefghjkmnpqrstvwxyzAOoiI=- '),
  });
  fc.assert(
    fc.property(similar, (text) => {
      const bytes = fromBase32(text);
      if (bytes !== undefined) expect(expected(bytes)).toBe(text);
    }),
  );
});

it.each([
  [16, 26],
  [20, 32],
])('encodes %i bytes in %i characters', (bytes, characters) => {
  expect(toBase32(new Uint8Array(bytes).fill(255))).toHaveLength(characters);
});
