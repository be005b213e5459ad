import { z } from 'zod';
import { idPrefixes, idSchema, programIdSchema } from '../ids/ids.js';
import type { Instant } from '../instant.js';
import { amountSchema, currencySchema } from '../money.js';
import { metadataRecordSchema, metadataSchema, readableText, text } from '../text.js';
import { instantInputSchema, instantSchema } from '../time.js';
import { commissionSchema } from '../shared/commission.js';
import {
  createdAtSchema,
  objectOf,
  payableOnSchema,
  recordCurrencySchema,
  recordMetadataSchema,
  revisionSchema,
  updatedAtSchema,
} from '../shared/record-fields.js';

export const conversionStatuses = ['pending', 'approved', 'rejected', 'refunded'] as const;
export type ConversionStatus = (typeof conversionStatuses)[number];

const earliestSale = Date.UTC(2000, 0, 1);

/** The fields of a sale, as a shop reports them. */
export const reportedSale = {
  // any text: an id that does not exist is simply not found
  affiliate_id: text({ min: 1, max: 100 }).meta({
    description: 'The affiliate who brought the sale: `pending` or `approved`.',
    example: `${idPrefixes.affiliate}${'0'.repeat(25)}1`,
  }),
  sale_amount: amountSchema.describe('In minor units of the currency: 4950 is 49.50 USD.'),
  sale_currency: currencySchema.describe(
    'ISO 4217, in any case, with a minor unit. A code that ISO 4217 has withdrawn since 2000 is accepted if `occurred_at` is before the withdrawal plus 400 days.',
  ),
  external_transaction_id: readableText({ min: 1, max: 255 })
    .optional()
    .meta({ description: 'Identifies one conversion of the account.', example: 'order-1001' }),
  customer_id: readableText({ min: 1, max: 255 }).optional().meta({
    description:
      'Your own id for the buyer. Use an opaque id, not an email address: it is kept permanently.',
    example: 'customer-17',
  }),
  occurred_at: instantInputSchema
    // a malformed time has an issue of its own, and compares as false
    .refine((instant) => !(Date.parse(instant) < earliestSale), {
      error: 'must not be before 2000-01-01',
      params: { code: 'too_early' },
    })
    .optional()
    .describe(
      'When the sale happened: not before 2000-01-01, and at most 5 minutes ahead. Default: when it is recorded.',
    ),
  commission_amount: amountSchema
    .optional()
    .describe('The commission, in minor units, instead of the amount under the terms.'),
  metadata: metadataSchema.optional(),
};
export type ReportedSale = z.infer<z.ZodObject<typeof reportedSale>>;

/** The optional fields of a sale that never change, as the record holds them. */
const details = {
  external_transaction_id: z
    .string()
    .nullable()
    .describe("The client's own id of the sale, unique in the account; null if none was sent."),
  customer_id: z
    .string()
    .nullable()
    .describe("The client's own id of the buyer; null if none was sent."),
};

/** The same fields, as events hold them. A default applies where the report lacks the field. */
export const saleDetails = {
  external_transaction_id: details.external_transaction_id.default(null),
  customer_id: details.customer_id.default(null),
};

/** The values of the optional fields that a report lacks. */
export const unreported = z
  .object({ ...saleDetails, metadata: metadataRecordSchema.default({}) })
  .parse({});

/** A sale as it was reported, with its optional fields. */
export type Sale = Omit<
  ReportedSale,
  keyof typeof unreported | 'occurred_at' | 'commission_amount'
> &
  typeof unreported & {
    /** In UTC; null if it was not reported. */
    readonly occurred_at: Instant | null;
    /** Null if it was not reported. */
    readonly commission_amount: number | null;
  };

export const conversionSchema = z
  .strictObject({
    id: idSchema('conversion').describe(
      'Derived from `external_transaction_id`, otherwise from `Idempotency-Key`, if one was sent. It never changes.',
    ),
    object: objectOf('conversion'),
    affiliate_id: idSchema('affiliate').describe('The affiliate who brought the sale.'),
    program_id: programIdSchema.describe('The program of the affiliate.'),
    status: z
      .enum(conversionStatuses)
      .describe('Its commission is owed only while `approved`. `refunded`: as a whole.'),
    occurred_at: instantSchema.describe('When the sale happened.'),
    sale_amount: z.int().min(0).describe('In minor units, including amounts refunded later.'),
    refunded_amount: z
      .int()
      .min(0)
      .describe('The part of `sale_amount` that was refunded, in minor units.'),
    sale_currency: recordCurrencySchema,
    commission_amount: z
      .int()
      .min(0)
      .describe(
        'In minor units of the sale currency. While the conversion is not approved: what it would earn, or the commission that it lost.',
      ),
    commission: commissionSchema.describe('Why it earns `commission_amount`.'),
    payable_on: payableOnSchema,
    ...details,
    metadata: recordMetadataSchema,
    reason: z
      .string()
      .nullable()
      .describe(
        'The reason of the last change of `status`, `refunded_amount` or `commission_amount`; null if none was given.',
      ),
    payout_id: idSchema('payout')
      .nullable()
      .describe(
        'The completed payout that paid the commission; null before, and if it failed later.',
      ),
    created_at: createdAtSchema,
    updated_at: updatedAtSchema,
    approved_at: instantSchema
      .nullable()
      .describe('When it was last approved; null if it never was.'),
    revision: revisionSchema,
  })
  .meta({
    id: 'Conversion',
    example: {
      id: `conv_${'0'.repeat(25)}1`,
      object: 'conversion',
      affiliate_id: `aff_${'0'.repeat(25)}1`,
      program_id: 'prog_spring',
      status: 'approved',
      occurred_at: '2026-01-31T09:30:00.000Z',
      sale_amount: 4950,
      refunded_amount: 0,
      sale_currency: 'USD',
      commission_amount: 990,
      commission: {
        source: 'program',
        terms_version: 1,
        type: 'percentage',
        rate_bps: 2000,
        why: 'applied',
      },
      payable_on: '2026-03-02',
      external_transaction_id: 'order-1001',
      customer_id: 'customer-17',
      metadata: { campaign: 'spring' },
      reason: null,
      payout_id: null,
      created_at: '2026-01-31T09:30:00.000Z',
      updated_at: '2026-01-31T10:00:00.000Z',
      approved_at: '2026-01-31T10:00:00.000Z',
      revision: 1,
    },
  });
export type ConversionRecord = z.infer<typeof conversionSchema>;
