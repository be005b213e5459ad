import { z } from 'zod';
import type { AggregateSpec } from './aggregate.js';

/**
 * The format of everything recorded. Before the first release, renaming anything raises it, and a
 * log in another format is refused; later formats will be read through upcasters.
 */
export const logFormat = 2;

/** Stream `refledger.log`: one event, the first of every log, which gives the log its id. */
export const log = {
  stream: [],
  events: {
    'log.opened': z.strictObject({ log_id: z.string(), format: z.literal(logFormat) }),
  },
} as const satisfies AggregateSpec;
