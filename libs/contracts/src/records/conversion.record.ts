import { z } from 'zod';
import { idSchema, programIdSchema } from '../ids.js';
import { instantSchema } from '../time.js';
import { metadataRecordSchema } from './metadata.record.js';

export const conversionStatuses = ['pending', 'approved', 'rejected', 'refunded'] as const;
export type ConversionStatus = (typeof conversionStatuses)[number];

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
      .describe('In the minor unit of the sale currency; 0 until the program has terms.'),
    external_transaction_id: z.string().nullable(),
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
