import { z } from 'zod';
import { idSchema, programIdSchema } from '../ids/ids.js';
import { instantSchema } from '../time.js';
import { metadataRecordSchema } from '../text.js';

export const affiliateStatuses = ['pending', 'approved', 'rejected', 'suspended'] as const;
export type AffiliateStatus = (typeof affiliateStatuses)[number];

/** An affiliate as the API shows it. */
export const affiliateSchema = z
  .strictObject({
    id: idSchema('affiliate'),
    object: z.literal('affiliate'),
    email: z.string(),
    name: z.string(),
    program_id: programIdSchema,
    status: z.enum(affiliateStatuses),
    metadata: metadataRecordSchema,
    reason: z.string().nullable(),
    created_at: instantSchema,
    updated_at: instantSchema,
    approved_at: instantSchema.nullable().describe('When it was last approved.'),
    revision: z.int().min(0),
  })
  .meta({
    id: 'Affiliate',
    example: {
      id: `aff_${'0'.repeat(25)}1`,
      object: 'affiliate',
      email: 'ada@example.com',
      name: 'Ada Lovelace',
      program_id: 'prog_spring',
      status: 'pending',
      metadata: {},
      reason: null,
      created_at: '2026-01-31T09:30:00.000Z',
      updated_at: '2026-01-31T09:30:00.000Z',
      approved_at: null,
      revision: 0,
    },
  });
export type AffiliateRecord = z.infer<typeof affiliateSchema>;
