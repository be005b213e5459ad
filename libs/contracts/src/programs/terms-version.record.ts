import { z } from 'zod';
import { positionPattern } from '../ids/position.js';
import { instantSchema } from '../time.js';
import { actorSchema } from '../history/change.record.js';
import { objectOf } from '../shared/record-fields.js';
import { termsSchema } from '../shared/terms.js';

const momentSchema = z
  .strictObject({
    at: instantSchema.describe('When it was recorded.'),
    position: z
      .string()
      .regex(new RegExp(positionPattern))
      .describe('Its position in the log, which decides what came first.'),
  })
  .meta({ id: 'Moment' });

/** One version of a program's terms, and when it was in force. */
export const termsVersionSchema = z
  .strictObject({
    object: objectOf('terms_version'),
    version: z.int().min(1).describe('1 for the first terms of the program.'),
    terms: termsSchema.nullable().describe('null: conversions earned 0.'),
    in_force_from: momentSchema.describe('When this version was set.'),
    in_force_to: momentSchema
      .nullable()
      .describe('When the next version replaced it; null while it is in force.'),
    actor: actorSchema.describe('The author of this version.'),
    reason: z
      .string()
      .nullable()
      .describe('The reason that was given with the change; null if there was none.'),
  })
  .meta({ id: 'TermsVersion' });
export type TermsVersion = Readonly<z.infer<typeof termsVersionSchema>>;
