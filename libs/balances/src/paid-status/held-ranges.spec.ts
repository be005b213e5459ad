import fc from 'fast-check';
import { HeldRanges } from './held-ranges.js';

const range = (from: number, to: number) => ({ from, to, amount: '1', count: 1 });
const held = new HeldRanges([
  { payable_on: '2026-01-31', ranges: [range(9, 9), range(1, 3)] },
  { payable_on: '2026-02-01', ranges: [range(4, 8)] },
]);

it('lists the ranges of each day in the order of the numbers', () => {
  expect(held.all).toEqual([
    { payable_on: '2026-01-31', from: 1, to: 3 },
    { payable_on: '2026-01-31', from: 9, to: 9 },
    { payable_on: '2026-02-01', from: 4, to: 8 },
  ]);
});

it('holds the entries of its ranges, on their days only', () => {
  const numbers = (payable_on: string) =>
    Array.from({ length: 11 }, (_, n) => n).filter((number) => held.holds({ payable_on, number }));
  expect(numbers('2026-01-31')).toEqual([1, 2, 3, 9]);
  expect(numbers('2026-02-01')).toEqual([4, 5, 6, 7, 8]);
  expect(numbers('2026-02-02')).toEqual([]);
});

it('holds exactly what a walk through its ranges finds', () => {
  const lengths = fc.array(fc.tuple(fc.nat(3), fc.nat(3)), { maxLength: 40 });
  fc.assert(
    fc.property(lengths, fc.nat(200), (gaps, number) => {
      let end = 0;
      const ranges = gaps.map(([gap, length]) => {
        const from = end + gap + 1;
        end = from + length;
        return range(from, end);
      });
      const payable_on = '2026-01-31';
      expect(new HeldRanges([{ payable_on, ranges }]).holds({ payable_on, number })).toBe(
        ranges.some(({ from, to }) => from <= number && number <= to),
      );
    }),
  );
});
