import type { ReportedSale } from '@refledger/contracts';
import { withdrawalOf } from '@refledger/contracts';
import fc from 'fast-check';
import { affiliateAt, created, inProgram, programWith, record } from '../../test/conversions.js';
import { instantOf, given, refusal, when } from '../../test/scenario.js';
import { conversionDecider } from './conversion.decider.js';
import { quoted } from './quote.js';
import { requireSaleCurrency } from './sale-currency.js';

const none = given(conversionDecider);
const recordedAt = '2026-11-22T10:00:00.000Z';
const recorded = (change: Partial<ReportedSale>) =>
  when(conversionDecider, none, record(change, { recordedAt }));
const quote = (change: Partial<ReportedSale>) =>
  quoted({
    program_id: inProgram.program_id,
    program: programWith({}),
    affiliate: affiliateAt('approved'),
    firstOccurredAt: null,
    sale: record(change).sale,
    recordedAt,
  });
/** The problems with which a sale is refused, when it is recorded and when it is quoted. */
const refusals = (change: Partial<ReportedSale>) =>
  [recorded, quote].map((act) => refusal(() => act(change)));

it.each([
  ['BGN', '2025-06-30T12:00:00Z'],
  ['bgn', '2026-11-22T00:00:00Z'],
  ['HRK', '2022-05-01T00:00:00Z'],
  ['HRK', '2024-02-04T23:59:59.999Z'],
  ['HRK', '2024-02-05T01:59:59.999+02:00'],
  ['ANG', '2024-12-31T00:00:00Z'],
  ['ANG', '2026-05-04T23:59:59.999Z'],
  ['DEM', '2000-01-01T00:00:00Z'],
  ['USD', undefined],
])('a sale in %s that occurred at %s is recorded', (sale_currency, occurred_at) => {
  expect(recorded({ sale_currency, occurred_at })).toMatchObject([
    { data: { sale_currency: sale_currency.toUpperCase() } },
  ]);
  expect(quote({ sale_currency, occurred_at }).commission_amount).toBe(0);
});

it.each([
  ['BGN', undefined, '2026-01-01', 'EUR', '2027-02-05'],
  ['HRK', undefined, '2023-01-01', 'EUR', '2024-02-05'],
  ['hrk', '2024-02-05T00:00:00Z', '2023-01-01', 'EUR', '2024-02-05'],
  ['HRK', '2024-02-04T23:00:00-01:00', '2023-01-01', 'EUR', '2024-02-05'],
  ['ANG', '2026-05-05T00:00:00Z', '2025-03-31', 'XCG', '2026-05-05'],
])(
  'a sale in %s that occurred at %s is refused, with its withdrawal on %s and %s after it',
  (sale_currency, occurred_at, ...named) => {
    for (const { code, detail, extras } of refusals({ sale_currency, occurred_at })) {
      expect([code, extras]).toMatchObject([
        'validation_failed',
        { errors: [{ path: '/sale_currency', code: 'withdrawn_currency' }] },
      ]);
      for (const name of named) expect(detail).toContain(name);
    }
  },
);

it.each(['XAU', 'xag', 'XDR', 'XSU', 'XBA', 'XXX', 'XTS', 'XFO', 'XFU'])(
  'a sale in %s is refused whenever it occurred: it has no minor unit',
  (sale_currency) => {
    for (const occurred_at of [undefined, '2005-01-01T00:00:00Z'])
      for (const problem of refusals({ sale_currency, occurred_at }))
        expect(problem).toMatchObject({
          code: 'validation_failed',
          extras: { errors: [{ path: '/sale_currency', code: 'no_minor_unit' }] },
        });
  },
);

it.each(['XAU', 'HRK'])('a sale in %s that an earlier release has recorded is known', (code) => {
  const sale_currency = code;
  const before = given(conversionDecider, {
    ...created,
    data: { ...created.data, sale_currency },
  });
  expect(when(conversionDecider, before, record({ sale_currency }))).toEqual([]);
  expect(refusal(() => when(conversionDecider, before, record()))).toMatchObject({
    code: 'conversion_exists',
  });
});

it('accepts a withdrawn currency exactly before the day 400 days after', () => {
  const dayMs = 86_400_000;
  fc.assert(
    fc.property(
      fc.constantFrom('BGN', 'HRK', 'ANG', 'LVL', 'TRL', 'AON'),
      fc.integer({ min: -3 * dayMs, max: 3 * dayMs }),
      (code, ms) => {
        const end = Date.parse(withdrawalOf(code)?.on ?? '') + 400 * dayMs;
        const accept = () =>
          requireSaleCurrency(code, new Date(end + ms).toISOString()) === undefined;
        if (ms < 0) expect(accept()).toBe(true);
        else expect(refusal(accept).code).toBe('validation_failed');
      },
    ),
    {
      examples: [
        ['BGN', 0],
        ['BGN', -1],
      ],
    },
  );
});

it('checks the time of a sale before its currency', () => {
  const sale = record(
    { sale_currency: 'XAU', occurred_at: instantOf(301) },
    { recordedAt: instantOf(0) },
  );
  expect(refusal(() => when(conversionDecider, none, sale))).toMatchObject({
    extras: { errors: [{ path: '/occurred_at' }] },
  });
});
