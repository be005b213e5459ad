import { z } from 'zod';
import { idSchema, type IdKind } from '../ids/ids.js';
import { metadataRecordSchema } from '../text.js';
import { daySchema, instantSchema } from '../time.js';

// Fields that many records have, each with the one description that it has everywhere.

/** The field that says what an object is. */
export const objectOf = <Name extends string>(name: Name) =>
  z.literal(name).describe('Tells this kind of object from others.');

/** The id of the record itself. */
export const ownIdOf = <K extends IdKind>(kind: K) =>
  idSchema(kind).describe('Assigned by Refledger; it never changes.');

export const createdAtSchema = instantSchema.describe('When it was recorded.');

export const updatedAtSchema = instantSchema.describe(
  'When it last changed; until then, `created_at`.',
);

export const revisionSchema = z
  .int()
  .min(0)
  .describe('0 at first, 1 higher after each event. `ETag` has it, and `If-Match` takes it.');

export const recordMetadataSchema = metadataRecordSchema.describe(
  "The client's own pairs of text; `{}` without any.",
);

/** A currency of a record, active or withdrawn. */
export const recordCurrencySchema = z.string().describe('ISO 4217, upper case.');

export const payableOnSchema = daySchema.describe('The day (UTC) from which it is payable.');

/** A sum of money, with its description. It has no limit, so it is a bigint. */
export const sumOf = (what: string) => z.bigint().describe(`${what} In minor units.`);

export const hasMoreSchema = z.boolean().describe('Whether a page follows this one.');
export const nextCursorSchema = z
  .string()
  .nullable()
  .describe('The `cursor` of the next page; null if there is none.');

/** A number of things, with its description. */
export const countOf = (what: string) => z.int().min(0).describe(what);
