import { z } from 'zod';
import { idSchema } from '../ids/ids.js';
import { positionPattern } from '../ids/position.js';
import { instantSchema } from '../time.js';
import { keysOf } from '../keys-of.js';
import { storedRequestId } from '../shared/event-metadata.js';
import { objectOf } from '../shared/record-fields.js';

const fieldChangeSchema = z
  .strictObject({
    path: z.string().describe('A JSON pointer (RFC 6901) into the record.'),
    before: z.unknown().describe('null if there was no value.'),
    after: z.unknown().describe('null if there is no value any more.'),
  })
  .meta({ id: 'FieldChange' });
/** One field of a record, or one key of its metadata, with its values before and after a change. */
export type FieldChange = Readonly<z.infer<typeof fieldChangeSchema>>;

export const actorSchema = z
  .strictObject({
    type: z
      .enum(['api_key', 'system'])
      .describe('`api_key`: a client with this key. `system`: the service itself.'),
    id: z.string().describe('The id of the key, or the name of the role of the service.'),
    name: z
      .string()
      .nullable()
      .describe('The name of the key; null if the key was revoked, and for `system`.'),
  })
  .meta({ id: 'Actor' });
/** The author of a change. */
export type Actor = Readonly<z.infer<typeof actorSchema>>;

/**
 * Returns the schema of one change to an aggregate's record, as its history shows it: one event of
 * the record's stream.
 */
export const changeOf = <R extends z.ZodObject>(
  { events, record }: { readonly events: Readonly<Record<string, z.ZodType>>; readonly record: R },
  id: string,
) =>
  z
    .strictObject({
      id: idSchema('event').describe('Also the `id` of the webhook about this change.'),
      object: objectOf('change'),
      type: z.enum(keysOf(events)).describe('The event type.'),
      revision: z.int().min(0).describe('The revision of the record after this change.'),
      position: z
        .string()
        .regex(new RegExp(positionPattern))
        .describe('The position of the change in the log.'),
      at: instantSchema.describe('When the change was recorded.'),
      actor: actorSchema.describe('The author of the change.'),
      request_id: z.string().describe(storedRequestId),
      reason: z
        .string()
        .nullable()
        .describe('The reason that was given with this change; null if there was none.'),
      changes: z
        .array(fieldChangeSchema)
        .describe(
          'In the order of the record. `/reason`, `/revision` and times of the record that equal `at` are not listed.',
        ),
      erased: z
        .literal(true)
        .optional()
        .describe(
          'Only of an erased affiliate: every personal value of the change is shown as null.',
        ),
      record: record.optional().describe('The record after this change; with `include=record`.'),
    })
    .meta({ id });

/** One change to a record, as its history shows it. */
export type Change = Readonly<z.infer<ReturnType<typeof changeOf>>>;
