import { z } from 'zod';
import { idPrefixes, idSchema, programIdSchema } from '../ids/ids.js';
import { amountSchema, currencySchema } from '../money.js';
import { metadataRecordSchema, metadataSchema, text } from '../text.js';
import { instantSchema } from '../time.js';

export const conversionStatuses = ['pending', 'approved', 'rejected', 'refunded'] as const;
export type ConversionStatus = (typeof conversionStatuses)[number];

/** The fields of a sale, as a shop reports them. */
export const reportedSale = {
  // any text: an id that does not exist is simply not found
  affiliate_id: text({ min: 1, max: 100 }).meta({
    example: `${idPrefixes.affiliate}${'0'.repeat(25)}1`,
  }),
  sale_amount: amountSchema,
  sale_currency: currencySchema,
  external_transaction_id: text({ min: 1, max: 255 })
    .optional()
    .meta({ description: 'Identifies one conversion of the account.', example: 'order-1001' }),
  metadata: metadataSchema.optional(),
};
export type ReportedSale = z.infer<z.ZodObject<typeof reportedSale>>;

/** The optional fields of a sale that never change, as the record holds them. */
const details = {
  external_transaction_id: z.string().nullable(),
};

/**
 * The same fields, as events hold them. A default is the value when the report, or an event
 * recorded before the field existed, lacks it.
 */
export const saleDetails = {
  external_transaction_id: details.external_transaction_id.default(null),
};

/** The values of the optional fields that a report lacks. */
export const unreported = z
  .object({ ...saleDetails, metadata: metadataRecordSchema.default({}) })
  .parse({});

/** A sale with all its fields, as it was recorded. */
export type Sale = Omit<ReportedSale, keyof typeof unreported> & typeof unreported;

export const conversionSchema = z
  .strictObject({
    id: idSchema('conversion'),
    object: z.literal('conversion'),
    affiliate_id: idSchema('affiliate'),
    program_id: programIdSchema,
    status: z.enum(conversionStatuses),
    sale_amount: z.int().min(0).describe('In the minor unit of the currency.'),
    sale_currency: z.string().describe('ISO 4217, upper case.'),
    commission_amount: z
      .int()
      .min(0)
      .describe('In the minor unit of the sale currency; always 0 in this release.'),
    ...details,
    metadata: metadataRecordSchema,
    reason: z.string().nullable(),
    payout_id: z.string().nullable(),
    created_at: instantSchema,
    updated_at: instantSchema,
    approved_at: instantSchema.nullable().describe('When it was last approved.'),
    revision: z.int().min(0),
  })
  .meta({
    id: 'Conversion',
    example: {
      id: `conv_${'0'.repeat(25)}1`,
      object: 'conversion',
      affiliate_id: `aff_${'0'.repeat(25)}1`,
      program_id: 'prog_spring',
      status: 'approved',
      sale_amount: 4950,
      sale_currency: 'USD',
      commission_amount: 0,
      external_transaction_id: 'order-1001',
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
