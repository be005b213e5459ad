import { z } from 'zod';
import { integerIn } from '../integer.js';
import { amountsByCurrency, amountsByCurrencyRecord, amountSchema } from '../money.js';
import { described } from '../problems/described.js';

const about = {
  percentage: 'A share of the net sale.',
  flat: 'An amount per sale.',
  months: "For so many months from the customer's first sale.",
  rate_bps: 'In basis points: 2000 is 20%.',
  amounts: 'The commission of one conversion, in minor units, by currency; in another currency, 0.',
  caps: 'The most that one conversion earns, in minor units, by currency. A currency that is not named has no cap.',
  recurring: 'Which sales to one customer earn a commission.',
  hold_days: 'How many days after the sale its commission is payable.',
} as const;
const programsHold = 'null: as many as in the terms of the program, or 30 if it has none.';

const holdDays = z.int().min(0).describe(about.hold_days);

/** Returns the form in which records and events hold terms. */
const storedForm = <HoldDays extends z.ZodType>(hold_days: HoldDays) => {
  const common = {
    caps: amountsByCurrencyRecord.optional().describe(about.caps),
    recurring: z
      .union([
        z.enum(['every', 'first']),
        z.strictObject({ months: z.int().min(1).describe(about.months) }),
      ])
      .describe(about.recurring),
    hold_days,
  };
  return z.discriminatedUnion('type', [
    z.strictObject({
      type: z.literal('percentage').describe(about.percentage),
      rate_bps: z.int().min(0).describe(about.rate_bps),
      ...common,
    }),
    z.strictObject({
      type: z.literal('flat').describe(about.flat),
      amounts: amountsByCurrencyRecord.describe(about.amounts),
      ...common,
    }),
  ]);
};

const example = {
  type: 'percentage',
  rate_bps: 2000,
  caps: { USD: 50000 },
  recurring: { months: 12 },
  hold_days: 30,
} as const;

/**
 * The terms of a program for a conversion, as records and events hold it: with every default filled
 * in, and currencies in upper case.
 */
export const termsSchema = storedForm(holdDays).meta({ id: 'Terms', example });
export type Terms = z.infer<typeof termsSchema>;

/** An affiliate's own terms, which override the program's as a whole. */
export const affiliateTermsSchema = storedForm(
  holdDays.nullable().describe(`${about.hold_days} ${programsHold}`),
).meta({ id: 'AffiliateTerms', example: { ...example, hold_days: null } });
export type AffiliateTerms = z.infer<typeof affiliateTermsSchema>;

/** One to fifty amounts by currency. */
const someAmounts = amountsByCurrency(amountSchema)
  .refine((amounts) => Object.keys(amounts).length >= 1, {
    error: 'must name at least one currency',
    params: { code: 'too_few' },
  })
  .refine((amounts) => Object.keys(amounts).length <= 50, {
    error: 'must name at most 50 currencies',
    params: { code: 'too_many' },
  })
  .meta({ minProperties: 1, maxProperties: 50, example: { USD: 500 } });

const months = integerIn({
  unit: 'months',
  example: '12 for a year',
  min: 1,
  max: 120,
}).describe(about.months);

const newHoldDays = integerIn({ unit: 'days', example: '30 for 30 days', max: 365 });

/** Returns the form in which clients send terms. */
const sentForm = <HoldDays extends z.ZodType>(hold_days: HoldDays) => {
  const common = {
    caps: someAmounts.optional().describe(about.caps),
    recurring: z
      .union([z.enum(['every', 'first']), z.strictObject({ months })], {
        error: ({ input }) =>
          `must be "every", "first" or {"months": 1 to 120}, but was ${described(input)}. Send {"months": 12} for the first year of a customer`,
      })
      .optional()
      .describe(`${about.recurring} Default \`every\`.`),
    hold_days,
  };
  return z.discriminatedUnion('type', [
    z.strictObject({
      type: z.literal('percentage').describe(about.percentage),
      rate_bps: integerIn({
        unit: 'basis points',
        example: '2000 for 20%',
        max: 10_000,
      }).describe(about.rate_bps),
      ...common,
    }),
    z.strictObject({
      type: z.literal('flat').describe(about.flat),
      amounts: someAmounts.describe(about.amounts),
      ...common,
    }),
  ]);
};

/** A program's terms in a request. */
export const newTermsSchema = sentForm(
  newHoldDays.optional().describe(`${about.hold_days} Default 30.`),
).meta({ id: 'NewTerms', example: { type: 'percentage', rate_bps: 2000 } });
export type NewTerms = z.infer<typeof newTermsSchema>;

/** An affiliate's own terms in a request. */
export const newAffiliateTermsSchema = sentForm(
  newHoldDays.nullable().optional().describe(`${about.hold_days} Default null. ${programsHold}`),
).meta({ id: 'NewAffiliateTerms', example: { type: 'percentage', rate_bps: 2500 } });
export type NewAffiliateTerms = z.infer<typeof newAffiliateTermsSchema>;
