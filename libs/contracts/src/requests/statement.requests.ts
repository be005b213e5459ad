import { z } from 'zod';
import { monthParameterSchema } from '../time.js';
import { pageOrCsvQuery } from './list-spec.js';

const month = monthParameterSchema.describe('A month (UTC) that has begun.');

/** The query parameters of a statement. */
export const statementQuerySchema = z.strictObject({ month, ...pageOrCsvQuery });

/** The query parameters of the summary of all statements. */
export const statementSummaryQuerySchema = z.strictObject({ month });
