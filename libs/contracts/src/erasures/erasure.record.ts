import { z } from 'zod';
import { actorSchema } from '../history/change.record.js';
import { idSchema } from '../ids/ids.js';
import { objectOf } from '../shared/record-fields.js';
import { instantSchema } from '../time.js';

const erasureStatuses = ['running', 'finished'] as const;

/** The erasure of an affiliate's personal data. */
export const erasureSchema = z
  .strictObject({
    id: idSchema('affiliate').describe('The id of the affiliate.'),
    object: objectOf('erasure'),
    affiliate_id: idSchema('affiliate').describe('The affiliate that was erased.'),
    status: z
      .enum(erasureStatuses)
      .describe(
        '`finished`: its key is destroyed, so that nothing at rest opens any more. Normally the first response says so.',
      ),
    created_at: instantSchema.describe('When it was requested.'),
    finished_at: instantSchema
      .nullable()
      .describe('When the key was destroyed; null while it is running.'),
    actor: actorSchema.describe('The author of the erasure.'),
  })
  .meta({
    id: 'Erasure',
    example: {
      id: `aff_${'0'.repeat(25)}1`,
      object: 'erasure',
      affiliate_id: `aff_${'0'.repeat(25)}1`,
      status: 'finished',
      created_at: '2026-01-31T09:30:00.000Z',
      finished_at: '2026-01-31T09:30:00.012Z',
      actor: { type: 'api_key', id: `key_${'0'.repeat(25)}1`, name: 'admin' },
    },
  });
export type ErasureRecord = z.infer<typeof erasureSchema>;
