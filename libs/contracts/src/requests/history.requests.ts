import { z } from 'zod';
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
