import * as fc from 'fast-check';
import { compareText } from './compare-text.js';

it('orders texts by their UTF-8 bytes', () => {
  const text = fc.string({
    unit: fc.constantFrom(
      'a',
      'b',
      '\u{7ff}',
      '\u{d7ff}',
      '\u{e000}',
      '\u{ffff}',
      '\u{10000}',
      '\u{10ffff}',
    ),
    maxLength: 4,
  });
  fc.assert(
    fc.property(text, text, (a, b) => {
      expect(Math.sign(compareText(a, b))).toBe(
        Math.sign(Buffer.compare(Buffer.from(a), Buffer.from(b))),
      );
    }),
  );
});
