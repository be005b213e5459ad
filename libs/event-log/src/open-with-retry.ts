import { isEventLogError } from './event-log-error.js';
import { backoffMs, abortableSleep } from './event-processor/backoff.js';

export interface Waiting {
  /** Whether trying again may mend it; by default whether a log says that it is away. */
  readonly isAway?: (error: unknown) => error is Error;
  /** Hears of every try that failed. */
  readonly onWait: (error: Error, waitMs: number) => void;
  /** Gives up: the last error is thrown. */
  readonly signal: AbortSignal;
}

/** Opens a log or another engine, for as long as it can't be reached again and again, with growing pauses. What waiting does not mend is thrown at once. */
export const openWithRetry = async <Engine>(
  open: () => Promise<Engine>,
  { isAway = isLogAway, onWait, signal }: Waiting,
): Promise<Engine> => {
  for (let failures = 1; ; failures += 1) {
    try {
      return await open();
    } catch (error) {
      if (!isAway(error) || signal.aborted) throw error;
      const waitMs = backoffMs(failures, Math.random());
      onWait(error, Math.round(waitMs));
      await abortableSleep(waitMs, signal);
    }
  }
};

const isLogAway = (error: unknown): error is Error =>
  isEventLogError(error, 'unavailable', 'unknown_outcome');
