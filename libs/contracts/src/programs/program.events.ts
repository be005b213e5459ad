import { z } from 'zod';
import { programIdSchema } from '../ids/ids.js';
import { programFields, programSchema, type ProgramRecord } from './program.record.js';
import { keysOf } from '../keys-of.js';
import type { EventsOf, PublicAggregateSpec } from '../shared/aggregate.js';

const programFieldsSchema = z.strictObject(programFields);
export type ProgramFields = z.infer<typeof programFieldsSchema>;

const about = { program_id: programIdSchema };

const events = {
  'program.created': z.strictObject({
    ...about,
    created_by: z
      .enum(['request', 'first_affiliate'])
      .describe('a request for the program itself, or one for its first affiliate'),
    after: programFieldsSchema,
  }),
  'program.updated': z.strictObject({
    ...about,
    before: programFieldsSchema,
    after: programFieldsSchema,
    reason: z.string().nullable(),
  }),
};
export type ProgramEvent = EventsOf<typeof events>;

/**
 * Stream `refledger.program-<account id>-<program id>`. Clients choose program ids, so the name
 * includes the account id.
 */
export const program = {
  stream: ['account', 'program'],
  events,
  kinds: keysOf(events),
  record: programSchema,
  topic: 'programs',
  partitionedBy: 'program',
  partitionKey: ({ id }: ProgramRecord) => id,
} as const satisfies PublicAggregateSpec;
