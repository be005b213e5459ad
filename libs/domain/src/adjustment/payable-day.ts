import { validationError } from '@refledger/contracts';
import { dayMs, dayOf } from '../day.js';

/** How far the day may be from the day of recording. It bounds the buckets of a balance. */
const maxDays = 366;

/**
 * Returns the day (UTC) from which a new adjustment is payable: the day on which it is recorded,
 * unless another one was sent. Throws `validation_failed` if that is more than 366 days away.
 */
export const payableDay = (sent: string | null, recordedAt: string): string => {
  const now = Date.parse(recordedAt);
  if (sent === null) return dayOf(now);
  const earliest = dayOf(now - maxDays * dayMs);
  const latest = dayOf(now + maxDays * dayMs);
  if (earliest <= sent && sent <= latest) return sent;
  throw validationError({
    path: '/payable_on',
    code: sent < earliest ? 'too_early' : 'too_late',
    message: `payable_on must be at most ${maxDays} days from today, ${dayOf(now)}, but was ${sent}. Send a day from ${earliest} to ${latest}.`,
  });
};
