import { currencies, minorDigits } from './currencies.js';

it.each([
  ['USD', 2],
  ['JPY', 0],
  ['KWD', 3],
  ['CLF', 4],
  ['UYI', 0],
  ['UYW', 4],
  // gold has no minor unit
  ['XAU', 0],
])('an amount of %s has %i digits after the point', (currency, digits) => {
  expect(minorDigits(currency)).toBe(digits);
});

it('knows how many currencies have how many digits', () => {
  const counts = new Map<number, number>();
  for (const currency of currencies) {
    const digits = minorDigits(currency);
    counts.set(digits, (counts.get(digits) ?? 0) + 1);
  }
  expect(Object.fromEntries(counts)).toEqual({
    0: 17 + 11,
    2: currencies.size - 37,
    3: 7,
    4: 2,
  });
});
