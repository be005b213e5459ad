import type { NewTerms } from '@refledger/contracts';
import fc from 'fast-check';

const amounts = fc.dictionary(fc.constantFrom('USD', 'EUR', 'jpy', 'Kwd'), fc.nat(1_000), {
  minKeys: 1,
  maxKeys: 3,
});

const limits = {
  caps: amounts,
  recurring: fc.oneof(
    fc.constantFrom('every' as const, 'first' as const),
    fc.record({ months: fc.integer({ min: 1, max: 120 }) }),
  ),
  hold_days: fc.integer({ min: 0, max: 365 }),
};

/** Terms such as clients send, with some of their optional fields. */
export const newTermsArbitrary: fc.Arbitrary<NewTerms> = fc.oneof(
  fc.record(
    { type: fc.constant('percentage' as const), rate_bps: fc.nat(10_000), ...limits },
    { requiredKeys: ['type', 'rate_bps'] },
  ),
  fc.record(
    { type: fc.constant('flat' as const), amounts, ...limits },
    { requiredKeys: ['type', 'amounts'] },
  ),
);
