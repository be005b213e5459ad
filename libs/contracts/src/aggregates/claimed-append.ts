import { z } from 'zod';
import { eventMetadataSchema } from '../events/event-metadata.js';
import { streamPrefix } from '../ids/stream-name.js';

/**
 * The exact append that a claim holds, so any command that finds the claim can finish it: same
 * event ids, same stream, same expected revision. The events are appended as they are, never
 * upcast.
 */
export const claimedAppendSchema = z.strictObject({
  stream: z.templateLiteral([streamPrefix, z.string().regex(/^[0-9A-Za-z_-]+$/)]),
  expected_revision: z.int().min(0).nullable().describe('null: the stream must not exist'),
  events: z
    .array(
      z.strictObject({
        id: z.string(),
        type: z.string(),
        data: z.record(z.string(), z.unknown()),
        metadata: eventMetadataSchema,
      }),
    )
    .min(1)
    .max(2),
});
export type ClaimedAppend = z.infer<typeof claimedAppendSchema>;
