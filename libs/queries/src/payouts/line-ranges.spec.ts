import fc from 'fast-check';
import { rangesOfPage, type Line } from './line-ranges.js';

const range = (from: number, to: number, count: number) => ({ from, to, count, amount: '1' });
const buckets = [
  { payable_on: '2026-01-31', ranges: [range(2, 2, 1)] },
  { payable_on: '2026-01-30', ranges: [range(1, 5, 3), range(9, 10, 2)] },
];

it('starts with the earliest day, and takes only the ranges that a page needs', () => {
  const first = { payable_on: '2026-01-30', after: 0, before: 6 };
  expect(rangesOfPage(buckets, undefined, 3)).toEqual([first]);
  expect(rangesOfPage(buckets, undefined, 4)).toEqual([
    first,
    { payable_on: '2026-01-30', after: 8, before: 11 },
  ]);
});

it('continues after a line', () => {
  expect(rangesOfPage(buckets, ['2026-01-30', 3], 1)).toEqual([
    { payable_on: '2026-01-30', after: 3, before: 6 },
    { payable_on: '2026-01-30', after: 8, before: 11 },
  ]);
  expect(rangesOfPage(buckets, ['2026-01-30', 10], 9)).toEqual([
    { payable_on: '2026-01-31', after: 1, before: 3 },
  ]);
  expect(rangesOfPage(buckets, ['2026-01-31', 2], 9)).toEqual([]);
});

it('finds each line once, in order, whatever the page size', () => {
  const lines: Line[] = [1, 2, 5, 9, 10]
    .map((number): Line => ['2026-01-30', number])
    .concat([['2026-01-31', 2]]);
  fc.assert(
    fc.property(fc.integer({ min: 1, max: 7 }), (limit) => {
      const seen: Line[] = [];
      for (let page: readonly Line[] = lines; page.length > 0; seen.push(...page))
        page = rangesOfPage(buckets, seen.at(-1), limit)
          .flatMap(({ payable_on, after, before }) =>
            lines.filter(([day, n]) => day === payable_on && n > after && n < before),
          )
          .slice(0, limit);
      expect(seen).toEqual(lines);
    }),
  );
});
