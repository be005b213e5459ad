import type { AffiliateTerms, Terms } from '@refledger/contracts';
import { termsInForce } from './terms-in-force.js';

const programs: Terms = {
  type: 'percentage',
  rate_bps: 2_000,
  caps: { USD: 50 },
  recurring: 'every',
  hold_days: 14,
};
const own: AffiliateTerms = {
  type: 'flat',
  amounts: { USD: 500 },
  recurring: 'first',
  hold_days: null,
};
const withProgram = { terms: programs, version: 3 };
const without = { terms: null, version: 0 };

it('are the terms of the program for an affiliate without an override', () => {
  expect(termsInForce(withProgram, without)).toEqual({
    source: 'program',
    version: 3,
    terms: programs,
  });
  expect(termsInForce(withProgram, { terms: null, version: 2 })).toMatchObject({
    source: 'program',
  });
});

it('are the override as a whole, with its own hold days', () => {
  const override = { ...own, hold_days: 0 };
  expect(termsInForce(withProgram, { terms: override, version: 1 })).toEqual({
    source: 'affiliate',
    version: 1,
    terms: override,
  });
});

it('take the hold days that an override lacks from the program, or are 30', () => {
  const override = { terms: own, version: 1 };
  expect(termsInForce(withProgram, override)?.terms).toEqual({ ...own, hold_days: 14 });
  const immediately = { terms: { ...programs, hold_days: 0 }, version: 1 };
  expect(termsInForce(immediately, override)?.terms).toEqual({ ...own, hold_days: 0 });
  expect(termsInForce(without, override)?.terms).toEqual({ ...own, hold_days: 30 });
});

it('do not exist if there are neither a program’s terms nor an override', () => {
  expect(termsInForce({ terms: null, version: 5 }, without)).toBeNull();
});
