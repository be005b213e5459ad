import {
  createAdjustmentSchema,
  updateAdjustmentSchema,
} from './adjustments/adjustment.requests.js';
import { createAffiliateSchema, updateAffiliateSchema } from './affiliates/affiliate.requests.js';
import {
  createConversionSchema,
  updateConversionSchema,
} from './conversions/conversion.requests.js';
import { affiliateList } from './affiliates/affiliate.list.js';
import { conversionList } from './conversions/conversion.list.js';
import { programList } from './programs/program.list.js';
import { adjustmentList } from './adjustments/adjustment.list.js';
import { createProgramSchema, updateProgramSchema } from './programs/program.requests.js';
import { subscribeSchema } from './webhooks/webhook-endpoint.requests.js';
import { operations } from './operations/operations.js';

const accepts = (schema: { safeParse(value: unknown): { success: boolean } }, value: unknown) =>
  schema.safeParse(value).success;
const affiliate = { email: 'ada@example.com', name: 'Ada', program_id: 'prog_a' };
const bonus = { affiliate_id: 'aff_1', currency: 'usd', amount: 8000, description: 'Bonus' };
const sale = { affiliate_id: 'aff_1', sale_amount: 1, sale_currency: 'usd' };

it.each([
  ['ada@example.com', true],
  ["o'hara+x@a-b.co", true],
  ['a@b', true],
  ['ADA@EXAMPLE.COM', true],
  [`a@${'b'.repeat(63)}.${'c'.repeat(63)}.${'d'.repeat(63)}.${'e'.repeat(60)}`, true],
  ['', false],
  ['a', false],
  ['@b', false],
  ['a@', false],
  ['a b@c', false],
  ['a@b..c', false],
  ['a@-b', false],
  ['a@b@c', false],
  ['é@b.c', true],
  ['a..b@c.d', false],
  ['a\u200b@b.c', false],
  [' a@b.c', false],
  [`${'a'.repeat(250)}@b.cd`, false],
])('%j as an email: %s', (email, ok) => {
  expect(accepts(createAffiliateSchema, { ...affiliate, email })).toBe(ok);
  for (const patch of [{ email }, { payout_email: email }])
    expect(accepts(updateAffiliateSchema, patch)).toBe(ok);
});

it('keeps the sent value, which the domain normalizes', () => {
  const sent = {
    ...affiliate,
    email: 'Ada@Example.com',
    name: ' Ada ',
    metadata: { b: '1', a: '2' },
  };
  expect(JSON.stringify(createAffiliateSchema.parse(sent))).toBe(JSON.stringify(sent));
  expect(createConversionSchema.parse(sale)).toEqual(sale);
});

it.each(['affiliate_id', 'sale_amount', 'sale_currency'])('a conversion needs %s', (field) => {
  expect(accepts(createConversionSchema, sale)).toBe(true);
  expect(accepts(createConversionSchema, { ...sale, [field]: undefined })).toBe(false);
});

it.each([
  [{ status: 'approved' }, true],
  [{ status: 'approved', reason: '' }, true],
  [{ sale_amount: 0 }, true],
  [{ metadata: {} }, true],
  [{}, false],
  [{ reason: 'x' }, false],
  [{ status: 'approved', reason: 'x'.repeat(501) }, false],
  [{ status: null }, false],
  [{ external_transaction_id: 'x' }, false],
])('%j as a change to a conversion: %s', (patch, ok) =>
  expect(accepts(updateConversionSchema, patch)).toBe(ok),
);

it.each([
  [{ name: 'Spring' }, true],
  [{ id: 'prog_a', name: 'Spring', terms: null, minimum_payout: {}, metadata: {} }, true],
  [{ name: 'Spring', terms: { type: 'percentage', rate_bps: 1 } }, true],
  [{ name: 'Spring', minimum_payout: { usd: 1 } }, true],
  [{ name: 'Spring', minimum_payout: { USD: 0 } }, false],
  [{ name: 'Spring', minimum_payout: { USD: 1, usd: 1 } }, false],
  [{ name: 'Spring', minimum_payout: null }, false],
  [{ name: 'Spring', status: 'active' }, false],
  [{ name: 'Spring', affiliate_approval: 'never' }, false],
  [{ name: ' ' }, false],
  [{ id: 'spring', name: 'Spring' }, false],
  [{}, false],
])('%j as a program: %s', (program, ok) => expect(accepts(createProgramSchema, program)).toBe(ok));

it.each([
  [{ status: 'archived' }, true],
  [{ status: 'archived', reason: '' }, true],
  [{ terms: null, reason: 'over' }, true],
  [{ conversion_approval: 'automatic' }, true],
  [{}, false],
  [{ reason: 'x' }, false],
  [{ name: 'x', reason: 'x'.repeat(501) }, false],
  [{ id: 'prog_a' }, false],
])('%j as a change to a program: %s', (patch, ok) =>
  expect(accepts(updateProgramSchema, patch)).toBe(ok),
);

it.each(['affiliate_id', 'currency', 'amount', 'description'])(
  'an adjustment needs %s',
  (field) => {
    expect(accepts(createAdjustmentSchema, bonus)).toBe(true);
    expect(accepts(createAdjustmentSchema, { ...bonus, [field]: undefined })).toBe(false);
  },
);

it.each([
  [{ amount: -999_999_999_999 }, true],
  [{ amount: 999_999_999_999 }, true],
  [{ amount: 0 }, false],
  [{ amount: -0 }, false],
  [{ amount: 0.5 }, false],
  [{ amount: -1_000_000_000_000 }, false],
  [{ amount: 1_000_000_000_000 }, false],
  [{ currency: 'XXX' }, false],
  [{ description: '' }, false],
  [{ description: '🦆'.repeat(500) }, true],
  [{ description: '🦆'.repeat(501) }, false],
  [{ payable_on: '2024-02-29' }, true],
  [{ payable_on: '2026-02-29' }, false],
  [{ payable_on: '2026-01-31T00:00:00Z' }, false],
  [{ payable_on: null }, false],
  [{ external_id: 'x'.repeat(255), metadata: { a: 'b' } }, true],
  [{ external_id: 'x'.repeat(256) }, false],
  [{ external_id: '' }, false],
  [{ status: 'posted' }, false],
])('an adjustment with %j: %s', (fields, ok) =>
  expect(accepts(createAdjustmentSchema, { ...bonus, ...fields })).toBe(ok),
);

it.each([
  [{ status: 'voided', reason: 'x' }, true],
  [{ status: 'voided', reason: 'x', metadata: {} }, true],
  [{ status: 'posted' }, true],
  [{ status: 'posted', reason: 'x' }, true],
  [{ metadata: {} }, true],
  [{}, false],
  [{ status: 'voided' }, false],
  [{ status: 'voided', metadata: {} }, false],
  [{ status: 'voided', reason: '' }, false],
  [{ status: 'voided', reason: 'x'.repeat(501) }, false],
  [{ status: 'pending', reason: 'x' }, false],
  [{ reason: 'x' }, false],
  [{ metadata: {}, reason: 'x' }, false],
  [{ amount: 1 }, false],
])('%j as a change to an adjustment: %s', (patch, ok) =>
  expect(accepts(updateAdjustmentSchema, patch)).toBe(ok),
);

it.each([
  ['https://a.example.com/x?y=1#z', true],
  ['HTTP://A', true],
  ['http://127.1', true],
  ['http://[::1]:80', true],
  [`https://a/${'x'.repeat(2038)}`, true],
  [`https://a/${'x'.repeat(2039)}`, false],
  ['', false],
  ['//a', false],
  ['/a', false],
  ['ftp://a', false],
  ['javascript:alert(1)', false],
  ['http:a', false],
  ['http://', false],
  ['https://u:p@a', false],
  ['https://u@a', false],
  [' https://a', false],
])('%j as an address for webhooks: %s', (target_url, ok) =>
  expect(accepts(subscribeSchema, { target_url, events: ['payout.created'] })).toBe(ok),
);

it.each([
  ['x'.repeat(16), true],
  [' '.repeat(128), true],
  ['x'.repeat(15), false],
  ['x'.repeat(129), false],
  [`${'x'.repeat(16)}é`, false],
  [`${'x'.repeat(16)}\n`, false],
])('%j as a secret: %s', (secret, ok) => {
  expect(
    accepts(subscribeSchema, { target_url: 'https://a', events: ['payout.created'], secret }),
  ).toBe(ok);
});

it.each([
  ['1', true],
  ['25', true],
  ['99', true],
  ['100', true],
  ['0', false],
  ['101', false],
  ['01', false],
  ['1.0', false],
  ['-1', false],
  ['', false],
  [' 1', false],
])('%j as a limit: %s', (limit, ok) => {
  expect(accepts(conversionList.query, { limit })).toBe(ok);
});

it('lists accept only the filters of their own records', () => {
  expect(accepts(affiliateList.query, { email: 'a@b', status: 'suspended' })).toBe(true);
  expect(accepts(affiliateList.query, { status: 'refunded' })).toBe(false);
  expect(accepts(conversionList.query, { status: 'refunded', sale_currency: 'usd' })).toBe(true);
  expect(accepts(conversionList.query, { email: 'a@b' })).toBe(false);
  expect(accepts(programList.query, { status: 'archived' })).toBe(true);
  expect(accepts(programList.query, { program_id: 'prog_x' })).toBe(false);
  expect(accepts(adjustmentList.query, { status: 'voided', currency: 'usd' })).toBe(true);
  expect(accepts(adjustmentList.query, { sale_currency: 'usd' })).toBe(false);
});

it.each([
  [
    'an affiliate',
    operations.updateAffiliate,
    [
      'commission',
      'email',
      'external_id',
      'metadata',
      'name',
      'payout_email',
      'payout_hold',
      'payout_hold_reason',
      'reason',
      'status',
    ],
  ],
  [
    'a conversion',
    operations.updateConversion,
    [
      'commission',
      'commission_amount',
      'metadata',
      'reason',
      'refunded_amount',
      'sale_amount',
      'status',
    ],
  ],
  [
    'a program',
    operations.updateProgram,
    [
      'affiliate_approval',
      'conversion_approval',
      'metadata',
      'minimum_payout',
      'name',
      'status',
      'terms',
    ],
  ],
  ['an adjustment', operations.updateAdjustment, ['metadata', 'reason', 'status']],
])('a PATCH of %s can change only %j', (_, { responses, immutable }, changeable) => {
  const fields = Object.keys(responses[200].shape);
  expect(fields.filter((field) => !immutable.includes(field)).sort()).toEqual(changeable);
});
