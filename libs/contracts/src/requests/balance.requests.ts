import { z } from 'zod';
import { text } from '../text.js';
import { asOfQuerySchema } from './history.requests.js';
import { onQuery } from './money-list.requests.js';

/** The query parameters of an operation that reads balances one by one. */
export const balanceQuerySchema = asOfQuerySchema.extend(onQuery);

/** The query parameters of the summary of all balances. */
export const balanceSummaryQuerySchema = z.strictObject({
  program_id: text({ max: 100 }).optional(),
  ...onQuery,
});
