import { isSameLeaf, leavesOf } from './leaves.js';
import { showValue } from './show-value.js';

it.each([
  ['approved', 'approved'],
  ['ada@example.com', 'ada@example.com'],
  ['http://127.0.0.1:9/hook?a=b', 'http://127.0.0.1:9/hook?a=b'],
  ['[sealed]', '[sealed]'],
  [4900, '4900'],
  ['4900', '"4900"'],
  [null, 'none'],
  ['none', '"none"'],
  ['gone', '"gone"'],
  [true, 'true'],
  ['true', '"true"'],
  ['', '""'],
  ['Ada Lovelace', '"Ada Lovelace"'],
  ['\u001b[2J', '"\\u001b[2J"'],
  ['4\u202e2', '"4\\u202e2"'],
  ['\u200b', '"\\u200b"'],
  [['a', 'b'], '["a","b"]'],
  [{}, '{}'],
  [undefined, 'nothing'],
])('showValue(%j) is %s', (value, shown) => {
  expect(showValue(value)).toBe(shown);
});

it('leavesOf names every value by its path; lists of plain values are values', () => {
  expect([...leavesOf({ a: 1, b: { c: null, d: {} }, e: ['x'], f: [{ g: 2 }], h: [] })]).toEqual([
    ['a', 1],
    ['b.c', null],
    ['b.d', {}],
    ['e', ['x']],
    ['f.0.g', 2],
    ['h', []],
  ]);
});

it('isSameLeaf distinguishes text from numbers, and a missing value from null', () => {
  expect(isSameLeaf(['a'], ['a'])).toBe(true);
  expect(isSameLeaf('1', 1)).toBe(false);
  expect(isSameLeaf(null, undefined)).toBe(false);
});

it('compares and shows sums that no number can hold', () => {
  const sum = 2n ** 53n + 1n;
  expect([isSameLeaf(sum, sum), isSameLeaf(sum, 2 ** 53), isSameLeaf(5n, 5)]).toEqual([
    true,
    false,
    true,
  ]);
  expect(showValue(sum)).toBe('9007199254740993');
});
