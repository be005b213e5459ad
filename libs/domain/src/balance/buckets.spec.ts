import type { StoredBucket } from '@refledger/contracts';
import fc from 'fast-check';
import {
  bucketSums,
  inPieces,
  noBuckets,
  withCarried,
  withEntry,
  withoutTaken,
  withReturned,
  type Buckets,
} from './buckets.js';

const filled = (...entries: readonly (readonly [string, number])[]): Buckets =>
  entries.reduce(
    (buckets, [day, amount], index) => withEntry(buckets, day, { number: index + 1, amount }),
    noBuckets,
  );

it('extends the one range of a day with each entry, and skips entries of other days', () => {
  const buckets = filled(['2026-01-02', 100], ['2026-01-01', 50], ['2026-01-02', -30]);
  expect(new Map(buckets)).toEqual(
    new Map([
      ['2026-01-02', [{ from: 1, to: 3, amount: 70n, count: 2 }]],
      ['2026-01-01', [{ from: 2, to: 2, amount: 50n, count: 1 }]],
    ]),
  );
});

it('extends the last range of a day that has several', () => {
  const first = { from: 1, to: 2, amount: '10', count: 2 };
  const second = { from: 5, to: 6, amount: '20', count: 2 };
  const carried = withCarried(noBuckets, [{ payable_on: '2026-01-01', ranges: [first, second] }]);
  expect(withEntry(carried, '2026-01-01', { number: 9, amount: 5 }).get('2026-01-01')).toEqual([
    { ...first, amount: 10n },
    { from: 5, to: 9, amount: 25n, count: 3 },
  ]);
});

it('starts another range where the last one would pass 2^53 - 1, so that payouts can take it', () => {
  const max = Number.MAX_SAFE_INTEGER;
  const day = '2026-01-01';
  const amounts = (...entries: readonly number[]) =>
    filled(...entries.map((amount) => [day, amount] as const))
      .get(day)
      ?.map(({ from, to, amount, count }) => [from, to, amount, count]);
  const most = BigInt(max);
  expect(amounts(max - 1, 1)).toEqual([[1, 2, most, 2]]);
  expect(amounts(max, 1, 5)).toEqual([
    [1, 1, most, 1],
    [2, 3, 6n, 2],
  ]);
  expect(amounts(-max, -1)).toEqual([
    [1, 1, -most, 1],
    [2, 2, -1n, 1],
  ]);
});

it('adds up each day, in order', () => {
  const ranges = [
    { from: 1, to: 1, amount: '9007199254740993', count: 1 },
    { from: 3, to: 3, amount: '-1', count: 1 },
  ];
  const buckets = withEntry(
    withCarried(noBuckets, [{ payable_on: '2026-01-02', ranges }]),
    '2026-01-01',
    { number: 4, amount: 7 },
  );
  expect([...bucketSums(buckets)]).toEqual([
    ['2026-01-01', 7n],
    ['2026-01-02', 9007199254740992n],
  ]);
});

it('cuts the ranges into pieces in order of day, even within a day', () => {
  const range = (from: number) => ({ from, to: from, amount: String(from), count: 1 });
  const buckets = withCarried(noBuckets, [
    { payable_on: '2026-01-02', ranges: [1, 2, 3, 4, 5].map(range) },
    { payable_on: '2026-01-01', ranges: [range(6)] },
  ]);
  expect(inPieces(buckets, 2)).toEqual<StoredBucket[][]>([
    [
      { payable_on: '2026-01-01', ranges: [range(6)] },
      { payable_on: '2026-01-02', ranges: [range(1)] },
    ],
    [{ payable_on: '2026-01-02', ranges: [2, 3].map(range) }],
    [{ payable_on: '2026-01-02', ranges: [4, 5].map(range) }],
  ]);
});

it('has no pieces without open entries', () => {
  expect(inPieces(noBuckets, 2)).toEqual([]);
});

it('are the same after being cut into pieces and carried over', () => {
  const range = fc.record({
    from: fc.integer({ min: 1 }),
    to: fc.integer({ min: 1 }),
    amount: fc.bigInt().map(String),
    count: fc.integer({ min: 1 }),
  });
  const bucket = fc.record({
    payable_on: fc.integer({ min: 10, max: 28 }).map((day) => `2026-01-${day}`),
    ranges: fc.array(range, { minLength: 1, maxLength: 5 }),
  });
  const all = fc.uniqueArray(bucket, { selector: ({ payable_on }) => payable_on, maxLength: 19 });
  fc.assert(
    fc.property(all, fc.integer({ min: 1, max: 7 }), (stored, size) => {
      const buckets = withCarried(noBuckets, stored);
      const pieces = inPieces(buckets, size);
      const ranges = pieces.map((piece) => piece.flatMap((part) => part.ranges).length);
      expect(ranges.slice(0, -1)).toEqual(ranges.slice(0, -1).map(() => size));
      expect(new Map(pieces.reduce(withCarried, noBuckets))).toEqual(new Map(buckets));
    }),
  );
});

describe('ranges that payouts take and return', () => {
  const day = '2026-01-01';
  const range = (from: number, to = from) => ({ from, to, amount: String(from), count: 1 });
  const open = (...ranges: readonly ReturnType<typeof range>[]): Buckets =>
    withCarried(noBuckets, [{ payable_on: day, ranges: [...ranges] }]);
  const taken = (...ranges: readonly ReturnType<typeof range>[]): StoredBucket[] => [
    { payable_on: day, ranges: [...ranges] },
  ];
  const numbers = (buckets: Buckets) =>
    buckets.get(day)?.map(({ from, to, closed }) => [from, to, closed ?? false]);

  it('leave no bucket when all are taken, and the next entry starts a range', () => {
    const left = withoutTaken(open(range(1, 3), range(5)), taken(range(1, 3), range(5)));
    expect(left.get(day)).toBeUndefined();
    expect(numbers(withEntry(left, day, { number: 6, amount: 1 }))).toEqual([[6, 6, false]]);
  });

  it('seal the last of the others, so that the next entry starts a range', () => {
    const left = withoutTaken(open(range(1, 3), range(5), range(7)), taken(range(5)));
    expect(numbers(left)).toEqual([
      [1, 3, false],
      [7, 7, true],
    ]);
    const entered = withEntry(left, day, { number: 8, amount: 1 });
    expect(numbers(withEntry(entered, day, { number: 9, amount: 1 }))).toEqual([
      [1, 3, false],
      [7, 7, true],
      [8, 9, false],
    ]);
  });

  it('come back in the order of their numbers, and the last of all is closed', () => {
    expect(numbers(withReturned(open(range(4, 6)), taken(range(1, 3), range(8))))).toEqual([
      [1, 3, false],
      [4, 6, false],
      [8, 8, true],
    ]);
    expect(numbers(withReturned(noBuckets, taken(range(1, 3))))).toEqual([[1, 3, true]]);
  });

  it('never swallow an entry that another payout holds', () => {
    const first = taken(range(1, 3));
    const second = withEntry(withoutTaken(open(range(1, 3)), first), day, { number: 4, amount: 1 });
    const returned = withReturned(withoutTaken(second, taken(range(4))), first);
    expect(numbers(withEntry(returned, day, { number: 5, amount: 1 }))).toEqual([
      [1, 3, true],
      [5, 5, false],
    ]);
  });

  it('keep their seal in the next chapter', () => {
    const sealed = withReturned(noBuckets, taken(range(1, 3)));
    const carried = inPieces(sealed, 10).reduce(withCarried, noBuckets);
    expect(new Map(carried)).toEqual(new Map(sealed));
  });
});
