import type { z } from 'zod';

/** Returns the names of the fields of a record that its patch cannot change. */
export const immutableIn = (record: z.ZodObject, patch: z.ZodObject): readonly string[] =>
  Object.keys(record.shape).filter((key) => !(key in patch.shape));
