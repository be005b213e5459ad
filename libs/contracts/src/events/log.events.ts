import { z } from 'zod';

/** Stream `refledger.log`: one event, the first of every log, which gives it its id. */
export const logEvents = {
  'log.opened': z.strictObject({ log_id: z.string() }),
} as const;
