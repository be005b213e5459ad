import { parseDuration } from './duration.js';

it.each([
  ['200ms', 200],
  ['5s', 5_000],
  ['2m', 120_000],
  ['10h', 36_000_000],
  ['0s', 0],
  ['5', undefined],
  ['5 s', undefined],
  ['-5s', undefined],
  ['1d', undefined],
  ['', undefined],
])('parseDuration(%j) is %j', (text, milliseconds) => {
  expect(parseDuration(text)).toBe(milliseconds);
});
