import type { z } from 'zod';

/** The fields of a record that its patch can't change. */
export const immutableIn = (record: z.ZodObject, patch: z.ZodObject): readonly string[] =>
  Object.keys(record.shape).filter((key) => !(key in patch.shape));
