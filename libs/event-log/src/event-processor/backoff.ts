import { setTimeout as sleep } from 'node:timers/promises';

const firstMs = 100;
const maxMs = 10_000;

/**
 * Milliseconds to wait after `failures` failures in a row: exponential backoff from 100 ms, capped
 * at 10 s, with equal jitter (`random` is from 0 to 1), so that concurrent retries spread out.
 */
export const backoffMs = (failures: number, random: number): number =>
  Math.min(maxMs, firstMs * 2 ** Math.min(failures - 1, 20)) * (0.5 + random / 2);

/**
 * Sleeps before a failed attempt is repeated. Returns early when the signal aborts, or when the log
 * has recovered since the attempt started: pass the log's `recovery` from that moment.
 */
export const sleepBeforeRetry = (
  milliseconds: number,
  signal: AbortSignal,
  recovery: AbortSignal | undefined,
): Promise<void> =>
  abortableSleep(
    milliseconds,
    recovery === undefined ? signal : AbortSignal.any([signal, recovery]),
  );

/** Sleeps, and returns early when the signal aborts. */
export const abortableSleep = async (milliseconds: number, signal: AbortSignal): Promise<void> => {
  try {
    await sleep(milliseconds, undefined, { signal });
  } catch (error) {
    if (!signal.aborted) throw error;
  }
};
