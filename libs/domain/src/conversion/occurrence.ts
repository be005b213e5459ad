import { toInstant, validationError } from '@refledger/contracts';

/** How far the clock of a shop may be ahead. */
const maxAheadMs = 5 * 60_000;

/**
 * Returns when a new sale occurred: when it is recorded, unless something else was reported (in UTC
 * with milliseconds). Throws `validation_failed` if that is more than 5 minutes ahead.
 */
export const occurrenceOf = (reported: string | null, recordedAt: string): string => {
  if (reported === null) return recordedAt;
  const latest = toInstant(Date.parse(recordedAt) + maxAheadMs);
  if (reported <= latest) return reported;
  throw validationError({
    path: '/occurred_at',
    code: 'too_late',
    message: `occurred_at must be at most 5 minutes ahead, but was ${reported} and the time is ${recordedAt}. Send the time at which the sale happened.`,
  });
};
