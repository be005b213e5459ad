import type { DomainError } from '@refledger/contracts';
import { partOf } from './part-of-run.js';

const run = {
  totals: [
    { currency: 'EUR', payouts: 10_001, amount: '1' },
    { currency: 'USD', payouts: 7, amount: '1' },
  ],
};
const rowsPerPart = 5_000;
const issuesOf = (part: () => unknown) => {
  try {
    part();
  } catch (error) {
    return (error as DomainError).extras.errors;
  }
  return undefined;
};

it('cuts all payouts in a currency into parts', () => {
  const part = (n: string) => partOf(run, { currency: 'eur', part: n, rowsPerPart });
  const shared = { currency: 'EUR', parts: 3, size: 5_000 };
  expect(['1', '2', '3'].map(part)).toEqual([
    { ...shared, part: 1, skipped: 0 },
    { ...shared, part: 2, skipped: 5_000 },
    { ...shared, part: 3, skipped: 10_000 },
  ]);
  expect(issuesOf(() => part('4'))).toMatchObject([{ path: 'part', code: 'too_large' }]);
});

it('has one part if there is no limit, or if there is nothing', () => {
  const unlimited = { rowsPerPart: Number.POSITIVE_INFINITY };
  expect(partOf(run, { ...unlimited, currency: 'EUR' })).toMatchObject({ parts: 1, size: 10_001 });
  expect(partOf(run, { currency: 'JPY', rowsPerPart })).toMatchObject({ parts: 1, size: 0 });
  expect(partOf({ totals: [] }, { rowsPerPart })).toMatchObject({ currency: undefined, parts: 1 });
});

it('needs a currency unless there is only one', () => {
  expect(issuesOf(() => partOf(run, { rowsPerPart }))).toMatchObject([
    { path: 'currency', code: 'required' },
  ]);
  const [, usd] = run.totals;
  expect(partOf({ totals: usd ? [usd] : [] }, { rowsPerPart })).toMatchObject({ currency: 'USD' });
});
