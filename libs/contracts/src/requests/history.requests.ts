import { z } from 'zod';
import { isPosition, positionPattern } from '../ids/position.js';
import { pageQuery } from './list.requests.js';

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
    .refine(isPosition, {
      error:
        'must be a position of the event log, such as 1234, and not a time. Send a Refledger-Position, or the position of a webhook or of a change in a history.',
      params: { code: 'invalid_format' },
    })
    .meta({
      pattern: positionPattern,
      description:
        'A position of the event log. The response is the record as it was there, without `ETag`.',
    })
    .optional(),
});
