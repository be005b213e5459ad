import type { SentTerms } from '@refledger/testing';
import { changed, sold, type BookedSale, type ChangeRequest } from './booked-sale.js';

const fifth: SentTerms = { type: 'percentage', rate_bps: 2_000 };
const request = { affiliate_id: 'aff_1', sale_amount: 20_000, sale_currency: 'USD' };
const pending = sold(request, { terms: fifth, isApproved: false });
const after = (...requests: ChangeRequest[]): BookedSale => requests.reduce(changed, pending);
const figures = ({ status, refunded, commission }: BookedSale) => [status, refunded, commission];

it('a new sale is pending, or approved at once', () => {
  expect(figures(pending)).toEqual(['pending', 0n, 4_000n]);
  expect(sold(request, { terms: fifth, isApproved: true }).status).toBe('approved');
  expect(sold(request, { terms: null, isApproved: false }).commission).toBe(0n);
  expect(
    sold({ ...request, commission_amount: 7 }, { terms: fifth, isApproved: false }).commission,
  ).toBe(7n);
});

/** The life of a sale, step by step, and the rules that its table in the contract leaves out. */
const approved = { status: 'approved' } as const;
const inPart = { refunded_amount: 5_000 };
it.each<[string, ChangeRequest[], unknown[]]>([
  ['approved', [approved], ['approved', 0n, 4_000n]],
  ['refunded in part', [approved, inPart], ['approved', 5_000n, 3_000n]],
  [
    'given a commission',
    [approved, inPart, { commission_amount: 3_500 }],
    ['approved', 5_000n, 3_500n],
  ],
  ['refunded', [approved, inPart, { status: 'refunded' }], ['refunded', 20_000n, 3_000n]],
  ['refunded by amount', [approved, { refunded_amount: 20_000 }], ['refunded', 20_000n, 4_000n]],
  ['approved again', [approved, { status: 'refunded' }, approved], ['approved', 0n, 4_000n]],
  [
    'approved again in part',
    [approved, { status: 'refunded' }, { ...approved, ...inPart }],
    ['approved', 5_000n, 3_000n],
  ],
  [
    'approved again with a commission of its own',
    [approved, { commission_amount: 3_500 }, { status: 'refunded' }, approved],
    ['approved', 0n, 3_500n],
  ],
  ['rejected', [approved, inPart, { status: 'rejected' }], ['rejected', 5_000n, 3_000n]],
  [
    'returned to its terms',
    [{ commission_amount: 1 }, { commission_amount: null }],
    ['pending', 0n, 4_000n],
  ],
  ['changed while pending', [{ sale_amount: 125 }], ['pending', 0n, 25n]],
  ['worth nothing', [{ sale_amount: 0 }, approved, { refunded_amount: 0 }], ['approved', 0n, 0n]],
])('a sale that is %s', (_what, requests, expected) =>
  expect(figures(after(...requests))).toEqual(expected),
);
