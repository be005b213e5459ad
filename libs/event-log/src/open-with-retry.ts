import { isEventLogError } from './event-log-error.js';
import type { EventLog } from './event-log.js';
import { backoffMs, sleepBeforeRetry } from './event-processor/backoff.js';

/** How `openWithRetry` waits between attempts. */
export interface OpenWithRetryOptions {
  /** Whether a retry may help; by default when the log is unavailable or an outcome is unknown. */
  readonly isUnavailable?: (error: unknown) => error is Error;
  /** Called after each failed attempt with the wait before the next one. */
  readonly onWait: (error: Error, waitMs: number) => void;
  /** The log that the attempts use, if they use one: they are repeated when it has recovered. */
  readonly log?: Pick<EventLog, 'availability'>;
  /** Aborting it gives up: the last error is thrown. */
  readonly signal: AbortSignal;
}

/**
 * Opens a log or another engine, and retries with increasing delays while it can't be reached.
 * Throws any other error immediately.
 */
export const openWithRetry = async <Engine>(
  open: () => Promise<Engine>,
  { isUnavailable = isLogUnavailable, onWait, log, signal }: OpenWithRetryOptions,
): Promise<Engine> => {
  for (let failures = 1; ; failures += 1) {
    const recovery = log?.availability?.recovery;
    try {
      return await open();
    } catch (error) {
      if (!isUnavailable(error) || signal.aborted) throw error;
      const waitMs = backoffMs(failures, Math.random());
      onWait(error, Math.round(waitMs));
      await sleepBeforeRetry(waitMs, signal, recovery);
    }
  }
};

const isLogUnavailable = (error: unknown): error is Error =>
  isEventLogError(error, 'unavailable', 'unknown_outcome');
