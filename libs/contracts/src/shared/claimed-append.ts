import { z } from 'zod';
import { eventMetadataSchema } from './event-metadata.js';
import { streamPrefix } from '../ids/stream-name.js';

/**
 * The exact append that a claim holds, so any command that finds the claim can finish it: same
 * event ids, same stream, same expected revision. The events are appended as they are.
 */
export const claimedAppendSchema = z.strictObject({
  stream: z
    .templateLiteral([streamPrefix, z.string().regex(/^[0-9A-Za-z_-]+$/)])
    .describe('The stream to append the events to, by name.'),
  expected_revision: z.int().min(0).nullable().describe('Null: the stream must not exist.'),
  events: z
    .array(
      z.strictObject({
        id: z.string().describe('A UUID.'),
        type: z.string().describe('The type of the event.'),
        data: z.record(z.string(), z.unknown()).describe('The data of the event.'),
        metadata: eventMetadataSchema.describe('The actor and the time of the event.'),
      }),
    )
    .min(1)
    .max(2)
    .describe('Exactly what is appended.'),
});
export type ClaimedAppend = z.infer<typeof claimedAppendSchema>;
