import { z } from 'zod';
import { statsPeriods } from './webhook-stats.record.js';

/** The query parameters of the statistics of a webhook endpoint. */
export const webhookStatsQuerySchema = z.strictObject({
  period: z.enum(statsPeriods).optional().describe('Default `24h`.'),
});
