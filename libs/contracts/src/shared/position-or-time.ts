import { z } from 'zod';
import { isPosition, positionPattern } from '../ids/position.js';
import { readableTime } from '../time.js';

/** Text that is a position of the event log, or a time that `time` accepts. */
export const positionOrTime = (time: z.ZodType, hint = '') =>
  z
    .string()
    .overwrite(readableTime)
    .refine((text) => isPosition(text) || time.safeParse(text).success, {
      error: `must be a position of the event log such as 1234, or an RFC 3339 time such as 2026-01-31T09:30:00Z, in the years 1 to 9999 in UTC${hint}`,
      params: { code: 'invalid_format' },
    })
    .meta({ anyOf: [{ pattern: positionPattern }, { format: 'date-time' }] });
