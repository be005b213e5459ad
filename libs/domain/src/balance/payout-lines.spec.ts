import fc from 'fast-check';
import { noBuckets, withCarried, withoutTaken, withReturned } from './buckets.js';
import { linesUntil, maxPayoutRanges, partialLinesUntil } from './payout-lines.js';

const range = (from: number, amount: number | string = from, count = 1) => ({
  from,
  to: from + count - 1,
  amount: String(amount),
  count,
});
const buckets = withCarried(noBuckets, [
  { payable_on: '2026-01-03', ranges: [range(9, 1000)] },
  { payable_on: '2026-01-02', ranges: [range(4, -30, 2), range(7, 50)] },
  { payable_on: '2026-01-01', ranges: [range(1, 100, 3)] },
]);

it.each([
  ['2025-12-31', [], 0n, 0, 0],
  ['2026-01-01', ['2026-01-01'], 100n, 3, 1],
  ['2026-01-02', ['2026-01-01', '2026-01-02'], 120n, 6, 3],
  ['2026-01-09', ['2026-01-01', '2026-01-02', '2026-01-03'], 1120n, 7, 4],
])('takes every entry payable by %s, the earliest day first', (until, days, ...sums) => {
  const lines = linesUntil(buckets, until);
  expect(lines.buckets.map(({ payable_on }) => payable_on)).toEqual(days);
  expect([lines.amount, lines.count, lines.ranges]).toEqual(sums);
});

it('adds up amounts above 2^53, and leaves seals out', () => {
  const large = [range(1, '9007199254740993'), range(2)];
  const sealed = withReturned(noBuckets, [{ payable_on: '2026-01-01', ranges: large }]);
  expect(linesUntil(sealed, '2026-01-01')).toEqual({
    buckets: [{ payable_on: '2026-01-01', ranges: large }],
    amount: 9_007_199_254_740_995n,
    count: 2,
    ranges: 2,
  });
});

describe('a partial payout', () => {
  it('is the same as a whole one while that has at most 4,000 ranges', () => {
    expect(maxPayoutRanges).toBe(4_000);
    expect(partialLinesUntil(buckets, '2026-01-02')).toEqual(linesUntil(buckets, '2026-01-02'));
  });

  it('takes the earliest days first, and within a day the greatest amounts', () => {
    const first = Array.from({ length: maxPayoutRanges - 3 }, (_, n) => range(100 + n, 1));
    const second = [range(1, 5), range(2, 9), range(3, -9), range(4, 7), range(5, 5)];
    const many = withCarried(noBuckets, [
      { payable_on: '2026-01-02', ranges: second },
      { payable_on: '2026-01-03', ranges: [range(6, 100)] },
      { payable_on: '2026-01-01', ranges: first },
    ]);
    const lines = partialLinesUntil(many, '2026-01-03');
    expect(lines.buckets).toEqual([
      { payable_on: '2026-01-01', ranges: first },
      { payable_on: '2026-01-02', ranges: [range(1, 5), range(2, 9), range(4, 7)] },
    ]);
    expect(lines).toMatchObject({ amount: 4_018n, count: 4_000, ranges: 4_000 });
    expect(linesUntil(many, '2026-01-03').ranges).toBe(4_003);
  });

  const max = Number.MAX_SAFE_INTEGER;
  it.each<[string, readonly number[], readonly number[]]>([
    ['what adds up to 2^53 - 1', [max - 1, 2, 1], [max - 1]],
    ['everything that a debt of the same day makes room for', [max, max, -max], [max, max, -max]],
    ['no more, if the debt makes too little room', [max, max, -5], [max]],
  ])('takes %s', (_, amounts, taken) => {
    const ranges = amounts.map((amount, n) => range(n + 1, amount));
    const open = withCarried(noBuckets, [{ payable_on: '2026-01-01', ranges }]);
    expect(
      partialLinesUntil(open, '2026-01-01').buckets.map((bucket) =>
        bucket.ranges.map(({ amount }) => Number(amount)),
      ),
    ).toEqual([taken]);
  });

  it('and the next ones pay exactly what is owed, whatever its size', () => {
    const amount = fc.oneof(
      fc.integer({ min: -max, max }),
      fc.integer({ min: max - 9, max }),
      fc.integer({ min: -9, max: 9 }),
    );
    const bucket = fc.array(amount, { minLength: 1, maxLength: 5 });
    fc.assert(
      fc.property(fc.array(bucket, { maxLength: 5 }), (days) => {
        const stored = days.map((amounts, index) => ({
          payable_on: `2026-01-0${index + 1}`,
          ranges: amounts.map((one, n) => range(n + 1, one)),
        }));
        let open = withCarried(noBuckets, stored);
        let paid = 0n;
        for (let lines; (lines = partialLinesUntil(open, '2026-02-01')).amount > 0n;) {
          expect(lines.amount).toBeLessThanOrEqual(BigInt(max));
          paid += lines.amount;
          open = withoutTaken(open, lines.buckets);
        }
        const owed = days.flat().reduce((sum, one) => sum + BigInt(one), 0n);
        expect(paid).toBe(owed > 0n ? owed : 0n);
      }),
    );
  });
});
