import { z } from 'zod';
import { idSchema } from '../ids/ids.js';

/** Describes how events and the log name a request. */
export const storedRequestId =
  'The `X-Request-Id` of the request if it is a UUID; otherwise `sha256-` and the first 32 hexadecimal digits of its SHA-256.';

/**
 * The metadata of every event. `account_id` is null for an event that belongs to no account (the
 * log's own events and the processors' events).
 */
export const eventMetadataSchema = z.strictObject({
  account_id: idSchema('account').nullable().describe('Null for an event of the service itself.'),
  actor: z
    .string()
    .describe('The id of the key that asked for it, or the name of a role of the service.'),
  request_id: z.string().describe(storedRequestId),
  schema: z.int().describe('The version of the form of its data.'),
  recorded_at: z
    .string()
    .describe('Never earlier than the time of the previous event in its stream.'),
  time_kept: z
    .literal(true)
    .optional()
    .describe("The writer's clock was behind, so the previous event's time was kept."),
  append_continues: z
    .literal(true)
    .optional()
    .describe('The next event of the stream belongs to the same append.'),
});
/** The cause of an event: its actor, its time and its request. */
export type EventMetadata = Readonly<z.infer<typeof eventMetadataSchema>>;
