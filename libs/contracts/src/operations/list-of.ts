import { z } from 'zod';

/** Returns the schema of an answer that holds one page of a list of these records. */
export const listOf = <T extends z.ZodType>(record: T, id: string) =>
  z
    .strictObject({
      object: z.literal('list'),
      data: z.array(record),
      has_more: z.boolean(),
      next_cursor: z.string().nullable(),
    })
    .meta({ id });
