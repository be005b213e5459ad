import { z } from 'zod';
import { asOfQuerySchema } from '../history/history.requests.js';
import { idFilter } from '../shared/list-spec.js';
import { onQuery } from './balance.list.js';

/** The query parameters of an operation that reads balances one by one. */
export const balanceQuerySchema = asOfQuerySchema.extend(onQuery);

export const balanceSummaryQuerySchema = z.strictObject({
  program_id: idFilter('program'),
  ...onQuery,
});
