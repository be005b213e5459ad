import fc from 'fast-check';
import { metadataSchema, nameSchema, readableText, text } from './text.js';

const accepts = (schema: { safeParse(value: unknown): { success: boolean } }, value: unknown) =>
  schema.safeParse(value).success;

it.each(['\u0000', 'a\nb', '\u007f', '\u0085', '\ud800', 'x\udc00y'])('%j is not text', (value) =>
  expect(accepts(text({ max: 10 }), value)).toBe(false),
);

it.each(['', ' a ', 'é', '\u2028', '\u202e', '👩‍👩‍👧'])('%j is text, kept unchanged', (value) =>
  expect(text({ max: 10 }).parse(value)).toBe(value),
);

it.each([
  ['\u200b', 'invisible'],
  ['\u2060\u200d\ufe0f', 'invisible'],
  [' \u200b ', 'invisible'],
  ['\u00ad\u3164', 'invisible'],
  ['\u2800', 'invisible'],
  ['\u{e0020}', 'invisible'],
  ['\ufff9', 'invisible'],
  ...Array.from('\u202a\u202b\u202c\u202d\u202e\u2066\u2067\u2068\u2069', (sign) => [
    `a${sign}b`,
    'invalid_format',
  ]),
  ['a\nb', 'invalid_format'],
])('%j is not text that people read: %s', (value, code) => {
  for (const schema of [nameSchema, readableText({ min: 1, max: 10 })])
    expect(schema.safeParse(value).error?.issues).toMatchObject([{ params: { code } }]);
});

it.each([
  'a',
  ' a ',
  '👩‍👩‍👧',
  'می\u200cخواهم',
  '\u200fשלום\u200f',
  '\u0301',
  '\ue000',
  '\u0378',
  '\u0600',
])('%j is text that people read', (value) => {
  for (const schema of [nameSchema, readableText({ min: 1, max: 10 })])
    expect(schema.parse(value)).toBe(value);
});

it.each(['', ' ', '\u200b'])('%j may be text that people read, if that may be empty', (value) =>
  expect(accepts(readableText({ max: 10 }), value)).toBe(true),
);

it('has one issue, whatever is wrong', () => {
  for (const value of ['', '\u202e'.repeat(300), '\0'.repeat(300), '\u200b'.repeat(300)])
    for (const schema of [nameSchema, text({ min: 1, max: 10 }), readableText({ min: 1, max: 10 })])
      expect(schema.safeParse(value).error?.issues ?? []).toHaveLength(
        accepts(schema, value) ? 0 : 1,
      );
});

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
