import { z } from 'zod';

/**
 * The metadata of every event. `account_id` is null for an event that belongs to no account (the
 * log's own events and those of processors).
 */
export const eventMetadataSchema = z.strictObject({
  account_id: z.string().nullable(),
  actor: z
    .string()
    .describe('the id of the key that asked for it, or the name of a role of the service'),
  request_id: z.string(),
  schema: z.int(),
  recorded_at: z.string().describe('never before that of the event before it in its stream'),
  time_kept: z
    .literal(true)
    .optional()
    .describe("the writer's clock was behind, and the time of the event before was kept"),
});
export type EventMetadata = Readonly<z.infer<typeof eventMetadataSchema>>;
