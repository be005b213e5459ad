import { z } from 'zod';
import { positionPattern } from '../ids/position.js';
import { instantSchema } from '../time.js';
import { actorSchema } from './change.record.js';
import { termsSchema } from './terms.js';

const momentSchema = z
  .strictObject({ at: instantSchema, position: z.string().regex(new RegExp(positionPattern)) })
  .meta({ id: 'Moment' });

/** One version of a program's terms, and when it was in force. */
export const termsVersionSchema = z
  .strictObject({
    object: z.literal('terms_version'),
    version: z.int().min(1),
    terms: termsSchema.nullable(),
    in_force_from: momentSchema,
    in_force_to: momentSchema.nullable().describe('When the next version replaced it, or null.'),
    actor: actorSchema,
    reason: z.string().nullable().describe('The reason that was given with the change.'),
  })
  .meta({ id: 'TermsVersion' });
export type TermsVersion = Readonly<z.infer<typeof termsVersionSchema>>;
