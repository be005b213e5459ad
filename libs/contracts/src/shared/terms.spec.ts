import { z } from 'zod';
import { issuesIn } from '../../test/issues-in.js';
import { currencies } from '../currencies.js';
import { newAffiliateTermsSchema, newTermsSchema } from './terms.js';

const schema = z.strictObject({ terms: newTermsSchema });
const percentage = { type: 'percentage', rate_bps: 2000 };
const flat = { type: 'flat', amounts: { USD: 500 } };
const amountsIn = (count: number) =>
  Object.fromEntries([...currencies].slice(0, count).map((code) => [code, 1]));

it.each([
  percentage,
  { ...percentage, rate_bps: 0 },
  { ...percentage, rate_bps: 10_000, caps: { usd: 0 }, recurring: 'first', hold_days: 0 },
  { ...percentage, recurring: { months: 1 }, hold_days: 365 },
  flat,
  { type: 'flat', amounts: amountsIn(50), caps: amountsIn(50), recurring: { months: 120 } },
  { type: 'flat', amounts: { USD: 0, jpy: 999_999_999_999 } },
])('accepts %j', (terms) => expect(issuesIn(schema, { terms })).toEqual([]));

it.each<[object, string, string, string]>([
  [
    { ...percentage, rate_bps: 12.5 },
    '/terms/rate_bps',
    'not_an_integer',
    'terms.rate_bps must be an integer in basis points, but was 12.5. Send 2000 for 20%.',
  ],
  [
    { type: 'percentage' },
    '/terms/rate_bps',
    'required',
    'terms.rate_bps is required. Send an integer in basis points, such as 2000 for 20%.',
  ],
  [
    { ...percentage, rate_bps: 10_001 },
    '/terms/rate_bps',
    'too_large',
    'terms.rate_bps must be at most 10000 basis points.',
  ],
  [
    { ...percentage, amounts: { USD: 1 } },
    '/terms/amounts',
    'unknown_field',
    'terms.amounts is not a field of this request. Omit it.',
  ],
  [
    { ...flat, rate_bps: 1 },
    '/terms/rate_bps',
    'unknown_field',
    'terms.rate_bps is not a field of this request. Omit it.',
  ],
  [{ type: 'flat' }, '/terms/amounts', 'required', 'terms.amounts is required.'],
  [
    { type: 'flat', amounts: {} },
    '/terms/amounts',
    'too_few',
    'terms.amounts must name at least one currency.',
  ],
  [
    { type: 'flat', amounts: amountsIn(51) },
    '/terms/amounts',
    'too_many',
    'terms.amounts must name at most 50 currencies.',
  ],
  [
    { ...percentage, caps: { USD: 1, usd: 2 } },
    '/terms/caps',
    'repeated_currency',
    'terms.caps must name each currency once, but has USD twice. Leave one of the two out.',
  ],
  [
    { ...percentage, caps: { XX: 1 } },
    '/terms/caps/XX',
    'unknown_currency',
    'terms.caps has the key "XX", which must be an ISO 4217 currency code such as "USD", but was "XX".',
  ],
  [
    { ...percentage, caps: { USD: 0.5 } },
    '/terms/caps/USD',
    'not_an_integer',
    'terms.caps.USD must be an integer in minor units, but was 0.5. Send 4950 for 49.50.',
  ],
  [
    { ...percentage, recurring: 'yearly' },
    '/terms/recurring',
    'not_one_of',
    'terms.recurring must be "every", "first" or {"months": 1 to 120}, but was "yearly". Send {"months": 12} for the first year of a customer.',
  ],
  [
    { ...percentage, recurring: ['first'] },
    '/terms/recurring',
    'not_one_of',
    'terms.recurring must be "every", "first" or {"months": 1 to 120}, but was an array. Send {"months": 12} for the first year of a customer.',
  ],
  [
    { ...percentage, recurring: { months: 1.5 } },
    '/terms/recurring/months',
    'not_an_integer',
    'terms.recurring.months must be an integer in months, but was 1.5. Send 12 for a year.',
  ],
  [
    { ...percentage, recurring: {} },
    '/terms/recurring/months',
    'required',
    'terms.recurring.months is required. Send an integer in months, such as 12 for a year.',
  ],
  [
    { ...percentage, recurring: { months: 12, weeks: 1 } },
    '/terms/recurring/weeks',
    'unknown_field',
    'terms.recurring.weeks is not a field of this request. Omit it.',
  ],
  [
    { ...percentage, recurring: { months: 0 } },
    '/terms/recurring/months',
    'too_small',
    'terms.recurring.months must be at least 1, in months.',
  ],
  [
    { ...percentage, recurring: { months: 121 } },
    '/terms/recurring/months',
    'too_large',
    'terms.recurring.months must be at most 120 months.',
  ],
  [
    { ...percentage, hold_days: 366 },
    '/terms/hold_days',
    'too_large',
    'terms.hold_days must be at most 365 days.',
  ],
  [
    { ...percentage, hold_days: 1.5 },
    '/terms/hold_days',
    'not_an_integer',
    'terms.hold_days must be an integer in days, but was 1.5. Send 30 for 30 days.',
  ],
  [
    { type: 'tiered' },
    '/terms/type',
    'not_one_of',
    'terms.type must be one of percentage, flat, but was "tiered".',
  ],
  [{}, '/terms/type', 'required', 'terms.type is required.'],
  [
    { ...percentage, tier: 1 },
    '/terms/tier',
    'unknown_field',
    'terms.tier is not a field of this request. Omit it.',
  ],
])('refuses %j', (terms, path, code, message) =>
  expect(issuesIn(schema, { terms })).toEqual([{ path, code, message }]),
);

it.each([null, [], 'percentage', 5])('%j is not a terms object', (terms) =>
  expect(issuesIn(schema, { terms })).toMatchObject([{ path: '/terms', code: 'wrong_type' }]),
);

it("hold days may be null only in the terms of an affiliate, which then take the program's", () => {
  const terms = { ...percentage, hold_days: null };
  const affiliates = z.strictObject({ terms: newAffiliateTermsSchema });
  expect(issuesIn(affiliates, { terms })).toEqual([]);
  expect(issuesIn(schema, { terms })).toMatchObject([
    { path: '/terms/hold_days', code: 'wrong_type' },
  ]);
  expect(issuesIn(affiliates, { terms: { ...terms, hold_days: 366 } })).toMatchObject([
    { path: '/terms/hold_days', code: 'too_large' },
  ]);
});
