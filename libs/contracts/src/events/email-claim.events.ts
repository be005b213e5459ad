import { z } from 'zod';
import { idSchema } from '../ids.js';
import { streamPrefix } from '../streams.js';
import { eventMetadataSchema } from './event-metadata.js';

/**
 * Stream `refledger.claim-<hash>`. A claim holds the exact append that it stands for, so any
 * command that meets the claim can finish that append: same event id, same stream, same expected
 * revision.
 */
export const emailClaimEvents = {
  'claim.taken': z.strictObject({
    affiliate_id: idSchema('affiliate'),
    append: z.strictObject({
      stream: z.templateLiteral([streamPrefix, z.string()]),
      expected_revision: z.int().min(0).nullable().describe('null: the stream must not exist'),
      event: z.strictObject({
        id: z.string(),
        type: z.string(),
        data: z.record(z.string(), z.unknown()),
        metadata: eventMetadataSchema,
      }),
    }),
  }),
} as const;
