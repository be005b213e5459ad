import { z } from 'zod';
import { termsSchema } from './terms.js';

/** Why a conversion earns what it earns, and under whose terms. */
export const commissionSchema = z
  .strictObject({
    source: z
      .enum(['program', 'affiliate', 'explicit', 'none'])
      .describe('Whose terms apply. `explicit`: the amount was sent instead.'),
    terms_version: z
      .int()
      .min(1)
      .nullable()
      .describe('The version of these terms; null with the source `explicit` or `none`.'),
    type: z
      .enum(['percentage', 'flat'])
      .nullable()
      .describe('The kind of these terms; null with the source `explicit` or `none`.'),
    rate_bps: z
      .int()
      .min(0)
      .nullable()
      .describe('In basis points: 2000 is 20%. null unless the type is `percentage`.'),
    why: z
      .enum([
        'applied',
        'capped',
        'not_first',
        'after_duration',
        'no_amount_in_currency',
        'no_terms',
        'explicit',
      ])
      .describe(
        '`applied`: as the terms say; `capped`: less, by a cap. `not_first`, `after_duration`: 0, since `recurring` excludes this sale. `no_amount_in_currency`, `no_terms`: 0, since the terms have no such amount, or there are none. `explicit`: as it was sent.',
      ),
  })
  .meta({
    id: 'Commission',
    example: {
      source: 'program',
      terms_version: 1,
      type: 'percentage',
      rate_bps: 2000,
      why: 'applied',
    },
  });
export type Commission = z.infer<typeof commissionSchema>;

const withoutTerms = { terms_version: null, type: null, rate_bps: null } as const;
/** The commission of a conversion that no terms apply to. Its amount is 0. */
export const noCommission: Commission = { source: 'none', ...withoutTerms, why: 'no_terms' };
/** The commission of a conversion whose amount was sent. */
export const explicitCommission: Commission = {
  source: 'explicit',
  ...withoutTerms,
  why: 'explicit',
};

/** The terms that a conversion took when it was recorded, and whose they were. */
export const termsInForceSchema = z.strictObject({
  source: z.enum(['program', 'affiliate']),
  /** Counts the changes to the terms. */
  version: z.int().min(1),
  terms: termsSchema,
});
export type TermsInForce = z.infer<typeof termsInForceSchema>;

/** The commission of a conversion that terms apply to. */
export const commissionUnder = (
  { source, version, terms }: TermsInForce,
  why: Commission['why'],
): Commission => ({
  source,
  terms_version: version,
  type: terms.type,
  rate_bps: terms.type === 'percentage' ? terms.rate_bps : null,
  why,
});
