import type { SentTerms } from '@refledger/testing';
import { changed, sold, type BookedSale } from './booked-sale.js';
import type { ChangeRequest } from './sale-requests.js';
import type { Place } from './customers.js';

const fifth: SentTerms = { type: 'percentage', rate_bps: 2_000 };
const request = { affiliate_id: 'aff_1', sale_amount: 20_000, sale_currency: 'USD' };
const only = { occurredAt: new Date('2024-03-31T12:00:00Z'), first: null };
const pending = sold(request, { terms: fifth, isApproved: false }, only);
const saleAfter = (...requests: ChangeRequest[]): BookedSale => requests.reduce(changed, pending);
const figures = ({ status, refunded, commission }: BookedSale) => [status, refunded, commission];

it('a new sale is pending, or approved at once', () => {
  expect(figures(pending)).toEqual(['pending', 0n, 4_000n]);
  expect(sold(request, { terms: fifth, isApproved: true }, only).status).toBe('approved');
});

it('a sale gives the reason for what it earns', () => {
  const first = { id: 'conv_1', occurredAt: new Date('2024-01-31T12:00:00Z') };
  const earned = (over: object, terms: SentTerms | null, place: Place = only) => {
    const { commission, why } = sold({ ...request, ...over }, { terms, isApproved: false }, place);
    return [commission, why];
  };
  expect(earned({}, fifth)).toEqual([4_000n, 'applied']);
  expect(earned({}, null)).toEqual([0n, 'no_terms']);
  expect(earned({ commission_amount: 7 }, fifth)).toEqual([7n, 'explicit']);
  const once: SentTerms = { ...fifth, recurring: 'first' };
  expect(earned({}, once)).toEqual([4_000n, 'applied']);
  expect(earned({}, once, { ...only, first })).toEqual([0n, 'not_first']);
});

it('a later sale to a customer earns nothing whatever becomes of it, unless a commission is sent', () => {
  const first = { id: 'conv_1', occurredAt: only.occurredAt };
  const terms: SentTerms = { ...fifth, recurring: 'first' };
  const later = sold(request, { terms, isApproved: true }, { ...only, first });
  expect(changed(later, { refunded_amount: 5_000 }).commission).toBe(0n);
  const told = changed(later, { commission_amount: 7 });
  expect(told.commission).toBe(7n);
  expect(changed(told, { commission_amount: null })).toEqual(later);
});

/** The life of a sale, step by step, and the rules that its table in the contract omits. */
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
  ['refunded in part while pending', [inPart], ['pending', 5_000n, 3_000n]],
  ['refunded in part, then approved', [inPart, approved], ['approved', 5_000n, 3_000n]],
  [
    'refunded in part, then rejected',
    [inPart, { status: 'rejected' }],
    ['rejected', 5_000n, 3_000n],
  ],
  ['changed while pending', [{ sale_amount: 125 }], ['pending', 0n, 25n]],
  ['worth nothing', [{ sale_amount: 0 }, approved, { refunded_amount: 0 }], ['approved', 0n, 0n]],
])('a sale that is %s', (_what, requests, expected) =>
  expect(figures(saleAfter(...requests))).toEqual(expected),
);
