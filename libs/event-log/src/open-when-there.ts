import { isEventLogError } from './event-log-error.js';
import { backoffMs, pause } from './follower/backoff.js';

export interface WaitingForLog {
  /** Hears of every try that failed. */
  readonly onWait: (error: Error, waitMs: number) => void;
  /** Gives up: the last error is thrown. */
  readonly signal: AbortSignal;
}

/** Opens a log, for as long as it can't be reached again and again, with growing pauses. What waiting does not mend is thrown at once. */
export const openWhenThere = async <Log>(open: () => Promise<Log>, { onWait, signal }: WaitingForLog): Promise<Log> => {
  for (let failures = 1; ; failures += 1) {
    try {
      return await open();
    } catch (error) {
      if (!isEventLogError(error, 'unavailable', 'unknown_outcome') || signal.aborted) throw error;
      const waitMs = backoffMs(failures, Math.random());
      onWait(error, Math.round(waitMs));
      await pause(waitMs, signal);
    }
  }
};
