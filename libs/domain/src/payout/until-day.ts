import { dayOf, validationError } from '@refledger/contracts';

/**
 * Returns the last day (UTC) whose entries a new payout takes: today, unless another day was
 * sent. Throws `validation_failed` if that is in the future.
 */
export const untilDay = (sent: string | null, recordedAt: string): string => {
  const today = dayOf(recordedAt);
  if (sent === null || sent <= today) return sent ?? today;
  throw validationError({
    path: '/until',
    code: 'too_late',
    message: `until must not be after today, ${today}, but was ${sent}. Send an earlier day, or omit it.`,
  });
};
