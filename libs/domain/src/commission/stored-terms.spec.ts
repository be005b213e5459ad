import {
  affiliateTermsSchema,
  newTermsSchema,
  termsSchema,
  type NewTerms,
} from '@refledger/contracts';
import fc from 'fast-check';
import { newTermsArbitrary } from '../../test/terms.js';
import { storedAffiliateTerms, storedTerms } from './stored-terms.js';

it.each<[NewTerms, unknown]>([
  [
    { type: 'percentage', rate_bps: 2000 },
    { type: 'percentage', rate_bps: 2000, recurring: 'every', hold_days: 30 },
  ],
  [
    { type: 'flat', amounts: { usd: 500, Eur: -0 }, caps: { jpy: 9 }, recurring: 'first' },
    {
      type: 'flat',
      amounts: { USD: 500, EUR: 0 },
      caps: { JPY: 9 },
      recurring: 'first',
      hold_days: 30,
    },
  ],
  [
    { type: 'percentage', rate_bps: -0, recurring: { months: 12 }, hold_days: -0 },
    { type: 'percentage', rate_bps: 0, recurring: { months: 12 }, hold_days: 0 },
  ],
])('%j are stored with their defaults, and currencies in upper case', (sent, stored) => {
  expect(storedTerms(sent)).toEqual(stored);
  expect(storedTerms(sent)).not.toHaveProperty('caps', undefined);
});

it('stored terms are terms, and storing them again changes nothing', () => {
  fc.assert(
    fc.property(newTermsArbitrary, (sent) => {
      expect(newTermsSchema.safeParse(sent).error).toBeUndefined();
      const stored = storedTerms(sent);
      expect(termsSchema.parse(stored)).toEqual(stored);
      expect(storedTerms(stored)).toEqual(stored);
    }),
  );
});

it('an affiliate’s own terms are stored alike, but hold days that were not sent are null', () => {
  fc.assert(
    fc.property(newTermsArbitrary, (sent) => {
      const stored = storedAffiliateTerms(sent);
      expect(stored).toEqual({
        ...storedTerms(sent),
        hold_days: 'hold_days' in sent ? sent.hold_days : null,
      });
      expect(affiliateTermsSchema.parse(stored)).toEqual(stored);
      expect(storedAffiliateTerms(stored)).toEqual(stored);
    }),
  );
});
