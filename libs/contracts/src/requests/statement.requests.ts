import { z } from 'zod';
import { monthParameterSchema } from '../time.js';
import { pageQuery } from './list-spec.js';

const month = monthParameterSchema.describe('A month (UTC) that has begun.');

/** The query parameters of a statement. */
export const statementQuerySchema = z.strictObject({
  month,
  format: z
    .enum(['json', 'csv'])
    .optional()
    .describe('Default `json`. `csv` has all lines, so it takes neither `limit` nor `cursor`.'),
  ...pageQuery,
});

/** The query parameters of the summary of all statements. */
export const statementSummaryQuerySchema = z.strictObject({ month });
