import type { NewTerms, QuotedSale } from '@refledger/contracts';
import { present } from '@refledger/testing/present';
import fc from 'fast-check';
import {
  affiliateAt,
  affiliateWith,
  deletedAffiliate,
  inProgram,
  programWith,
  record,
} from '../../test/conversions.js';
import { instantOf, given, refusal, when } from '../../test/scenario.js';
import { newTermsArbitrary } from '../../test/terms.js';
import { storedAffiliateTerms } from '../commission/stored-terms.js';
import { conversionRecord } from './conversion.aggregate.js';
import { conversionDecider } from './conversion.decider.js';
import { quoted, type QuoteSale } from './quote.js';

const terms: NewTerms = { type: 'percentage', rate_bps: 2_000, hold_days: 10 };
const sale: QuotedSale = { sale_amount: 4_950, sale_currency: 'usd' };
const { affiliate_id, program_id } = inProgram;
const request = (change: Partial<QuoteSale> = {}): QuoteSale => ({
  program_id,
  program: programWith({ terms }),
  affiliate: affiliateAt('approved'),
  firstOccurredAt: null,
  sale: { ...sale, affiliate_id },
  recordedAt: instantOf(0),
  ...change,
});

it('equals what the sale earns if it is recorded', () => {
  const instants = fc
    .date({ min: new Date('2020-01-01'), max: new Date(instantOf(0)), noInvalidDate: true })
    .map((date) => date.toISOString());
  fc.assert(
    fc.property(
      fc.record({
        terms: fc.option(newTermsArbitrary),
        own: fc.option(newTermsArbitrary),
        sale_amount: fc.nat(1_000_000),
        sale_currency: fc.constantFrom('USD', 'eur', 'JPY'),
        occurred_at: fc.option(instants, { nil: undefined }),
        firstOccurredAt: fc.option(instants),
      }),
      ({ terms: ofProgram, own, firstOccurredAt, ...sold }) => {
        const program = programWith({ terms: ofProgram });
        const affiliate = affiliateWith(
          own === null ? {} : { commission: storedAffiliateTerms(own), commission_version: 1 },
        );
        const parties = { program, affiliate, firstOccurredAt };
        const recorded = present(
          conversionRecord(
            given(
              conversionDecider,
              ...when(conversionDecider, given(conversionDecider), record(sold, parties)),
            ),
          ),
        );
        const { commission_amount, commission, payable_on } = recorded;
        expect(quoted(request({ ...parties, sale: { ...sold, affiliate_id } }))).toEqual({
          commission_amount,
          commission,
          payable_on,
        });
      },
    ),
  );
});

it('applies the terms of the program where no affiliate is named', () => {
  const flat = { type: 'flat', amounts: { USD: 7 }, recurring: 'every', hold_days: null } as const;
  const affiliate = affiliateWith({ commission: flat, commission_version: 1 });
  expect(quoted(request({ affiliate }))).toMatchObject({ commission_amount: 7 });
  expect(quoted(request({ affiliate, sale }))).toMatchObject({
    commission_amount: 990,
    commission: { source: 'program' },
    payable_on: '2026-01-11',
  });
});

it.each<[string, Partial<QuoteSale>]>([
  ['affiliate_not_found', { affiliate: { kind: 'none' } }],
  ['affiliate_not_found', { affiliate: deletedAffiliate }],
  ['affiliate_not_found', { program_id: 'prog_b' }],
  ['affiliate_not_active', { affiliate: affiliateAt('suspended') }],
  [
    'validation_failed',
    { sale: { ...sale, occurred_at: instantOf(301) }, affiliate: { kind: 'none' } },
  ],
])('is refused as %s', (code, change) => {
  expect(refusal(() => quoted(request(change))).code).toBe(code);
});
