import fc from 'fast-check';
import { metadataSchema, nameSchema, text } from './text.js';

const accepts = (schema: { safeParse(value: unknown): { success: boolean } }, value: unknown) =>
  schema.safeParse(value).success;

it.each(['\u0000', 'a\nb', '\u007f', '\u0085', '\ud800', 'x\udc00y'])('%j is not text', (value) =>
  expect(accepts(text({ max: 10 }), value)).toBe(false),
);

it.each(['', ' a ', 'é', '\u2028', '\u202e', '👩‍👩‍👧'])('%j is text, kept unchanged', (value) =>
  expect(text({ max: 10 }).parse(value)).toBe(value),
);

it('counts characters, not UTF-16 units, between its limits', () => {
  fc.assert(
    fc.property(
      fc.integer({ min: 0, max: 6 }),
      fc.constantFrom('a', '🦆', 'é'),
      (length, character) => {
        expect(accepts(text({ min: 2, max: 4 }), character.repeat(length))).toBe(
          length >= 2 && length <= 4,
        );
      },
    ),
  );
});

it.each([
  ['a', true],
  [' a ', true],
  ['', false],
  ['   ', false],
  ['\u00a0', false],
  ['a'.repeat(200), true],
  ['a'.repeat(201), false],
])('%j as a name: %s', (name, ok) => {
  expect(accepts(nameSchema, name)).toBe(ok);
});

it.each([
  [{}, true],
  [{ a: '' }, true],
  [{ ['k'.repeat(40)]: 'v'.repeat(500) }, true],
  [{ ['k'.repeat(41)]: '' }, false],
  [{ '': 'v' }, false],
  [{ a: 'v'.repeat(501) }, false],
  [{ a: 1 }, false],
  [{ a: null }, false],
  [{ a: '\u0000' }, false],
  [{ 'a\u0000': '' }, false],
  [[], false],
  [null, false],
])('%j as metadata: %s', (metadata, ok) => expect(accepts(metadataSchema, metadata)).toBe(ok));

it.each([
  [50, true],
  [51, false],
])('%i pairs of metadata: %s', (pairs, ok) => {
  expect(
    accepts(
      metadataSchema,
      Object.fromEntries(Array.from({ length: pairs }, (_, index) => [`k${index}`, ''])),
    ),
  ).toBe(ok);
});
