import { z } from 'zod';
import { monthParameterSchema } from '../time.js';
import { pageOrCsvQuery } from '../shared/list-spec.js';

const month = monthParameterSchema.describe('A month (UTC) that has started.');

export const statementQuerySchema = z.strictObject({
  month,
  ...pageOrCsvQuery,
  format: pageOrCsvQuery.format.describe(
    'Default `json`. `csv` is a file to send: the lines between an `opening` and a `closing` row, with `external_transaction_id` of each sale, `description` of each payout, and the names of the affiliate and the program. It takes neither `limit` nor `cursor`.',
  ),
});

export const statementSummaryQuerySchema = z.strictObject({ month });
