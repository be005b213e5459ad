import { toInstant, validationError } from '@refledger/contracts';

/**
 * Returns when a patch says that money was sent, in UTC with milliseconds; undefined if it does not
 * say. Throws `validation_failed` for a time in the future, or for a time without status
 * `completed`.
 */
export const completionTime = (
  { status, completed_at: sent }: { readonly status?: string; readonly completed_at?: string },
  recordedAt: string,
): string | undefined => {
  if (sent === undefined) return undefined;
  if (status !== 'completed')
    throw invalidTime(
      'without_completed',
      'completed_at is accepted only together with status completed. Send that as well, or omit it.',
    );
  const time = toInstant(Date.parse(sent));
  if (time <= recordedAt) return time;
  throw invalidTime(
    'too_late',
    `completed_at must not be after the current time, ${recordedAt}, but was ${sent}. Send an earlier time, or omit it.`,
  );
};

const invalidTime = (code: string, message: string) =>
  validationError({ path: '/completed_at', code, message });
