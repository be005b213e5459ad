import fc from 'fast-check';
import { LineSplitter, type Line } from './line-splitter.js';

const maxLineBytes = 8;

const linesIn = (chunks: readonly Buffer[]): Line[] => {
  const splitter = new LineSplitter(maxLineBytes);
  const lines = chunks.flatMap((chunk) => [...splitter.split(chunk)]);
  return [...lines, ...splitter.end()];
};

/** The lines of a text, or undefined for one that is too long. */
const textsIn = (...chunks: readonly string[]): (string | undefined)[] =>
  linesIn(chunks.map((chunk) => Buffer.from(chunk))).map(({ bytes }) => bytes?.toString());

/** Cuts a text at these places. */
const cut = (text: Buffer, places: readonly number[]): Buffer[] => {
  const sorted = places.map((place) => place % (text.length + 1)).toSorted((a, b) => a - b);
  return [0, ...sorted].map((start, n) => text.subarray(start, sorted[n] ?? text.length));
};

it.each([
  ['nothing', [''], []],
  ['lines that end with LF', ['a\nbc\n'], ['a', 'bc']],
  ['lines that end with CRLF', ['a\r\nbc\r\n'], ['a', 'bc']],
  ['a CRLF in two chunks', ['a\r', '\nbc'], ['a', 'bc']],
  ['a last line without a line break', ['a\nbc'], ['a', 'bc']],
  ['empty lines', ['\n\r\na\n\n'], ['', '', 'a', '']],
  ['a CR within a line', ['a\rb\r\r\n'], ['a\rb\r']],
  ['a line in many chunks', ['a', 'b', '', 'c', '\n', 'd'], ['abc', 'd']],
  ['a line of the maximum length', ['12345678\n12345678\r\n'], ['12345678', '12345678']],
  ['a line that is too long', ['a\n123456789\nb\n'], ['a', undefined, 'b']],
  ['a last line that is too long', ['1234', '56789'], [undefined]],
  ['a very long line in chunks', ['123456', '7890123456', '7890\r', '\nb'], [undefined, 'b']],
  ['a CR that does not fit', ['12345678', '9\r', '\nb'], [undefined, 'b']],
] as const)('reads %s', (_, chunks, lines) => expect(textsIn(...chunks)).toEqual(lines));

it('numbers the lines from 1, including empty ones and those that are too long', () =>
  expect(linesIn([Buffer.from('a\n\n123456789\nb')]).map(({ number }) => number)).toEqual([
    1, 2, 3, 4,
  ]));

const pieces = fc.array(
  fc.oneof(
    fc.constantFrom('\n', '\r\n', '\r', 'a', '12345678'),
    fc.string({ unit: 'grapheme', maxLength: 12 }),
  ),
);

it('reads the same lines wherever the chunks are cut', () =>
  fc.assert(
    fc.property(pieces, fc.array(fc.nat()), (parts, places) => {
      const text = Buffer.from(parts.join(''));
      expect(linesIn(cut(text, places))).toEqual(linesIn([text]));
    }),
  ));

it('reads the lines that a split of the whole text gives', () =>
  fc.assert(
    fc.property(pieces, fc.array(fc.nat()), (parts, places) => {
      const text = parts.join('');
      const whole = text.split('\n');
      if (whole.at(-1) === '') whole.pop();
      const expected = whole
        .map((line) => line.replace(/\r$/, ''))
        .map((line) => (Buffer.byteLength(line) > maxLineBytes ? undefined : line));
      const lines = linesIn(cut(Buffer.from(text), places));
      expect(lines.map(({ bytes }) => bytes?.toString())).toEqual(expected);
    }),
  ));
