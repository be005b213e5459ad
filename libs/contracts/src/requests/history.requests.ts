import { z } from 'zod';
import { isPosition, positionPattern } from '../ids/position.js';
import { instantParameterSchema } from '../time.js';
import { pageQuery } from './list-spec.js';

/** The query parameters of every history. */
export const historyQuerySchema = z.strictObject({
  ...pageQuery,
  sort: z.enum(['revision', '-revision']).optional().describe('Default `-revision`: newest first.'),
  include: z
    .enum(['record'])
    .optional()
    .describe('`record` adds the whole record as of each change.'),
});

/** The query parameters of an operation that reads one record. */
export const asOfQuerySchema = z.strictObject({
  as_of: z
    .string()
    .refine((text) => isPosition(text) || instantParameterSchema.safeParse(text).success, {
      error:
        'must be a position of the event log such as 1234, or an RFC 3339 time such as 2026-01-31T09:30:00Z (the + of an offset is sent as %2B)',
      params: { code: 'invalid_format' },
    })
    .meta({
      anyOf: [{ pattern: positionPattern }, { format: 'date-time' }],
      description:
        'A position of the event log, or a time that is not in the future. The response is the record as it was at that position or time, without `ETag`.',
    })
    .optional(),
});
