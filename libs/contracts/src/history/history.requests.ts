import { z } from 'zod';
import { instantParameterSchema } from '../time.js';
import { pageQuery } from '../shared/list-spec.js';
import { positionOrTime } from '../shared/position-or-time.js';

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
  as_of: positionOrTime(instantParameterSchema, ' (the + of an offset is sent as %2B)')
    .describe(
      'A position of the event log, or a time that is not in the future. The response is the record as it was at that position or time, without `ETag`.',
    )
    .optional(),
});
