// from the module and not the globals: tests replace these alone, and let time pass on this clock
import { clearTimeout, setTimeout } from 'node:timers';

/** Time and randomness, injected so that tests control both. */
export interface Clock {
  /** Milliseconds since 1970. */
  now(): number;
  /** A random number from 0 (inclusive) to 1 (exclusive). */
  random(): number;
  /** Runs `task` once after `ms` milliseconds. Returns a function that cancels it. */
  schedule(ms: number, task: () => void): () => void;
}

/** The clock of the machine, and its random numbers. */
export const systemClock: Clock = {
  now: Date.now,
  random: Math.random,
  schedule(ms, task) {
    // setTimeout can't hold a longer wait: it ends early, and the caller checks again anyway
    const timer = setTimeout(task, Math.min(ms, 2 ** 31 - 1));
    timer.unref();
    return () => clearTimeout(timer);
  },
};

/** Resolves after `ms` milliseconds, or as soon as `signal` aborts. */
export const sleepOnClock = (clock: Clock, ms: number, signal: AbortSignal): Promise<void> =>
  new Promise((resolve) => {
    const end = (): void => {
      cancelTimer();
      signal.removeEventListener('abort', end);
      resolve();
    };
    const cancelTimer = clock.schedule(ms, end);
    if (signal.aborted) end();
    else signal.addEventListener('abort', end);
  });

/**
 * Runs work again and again. Each run resolves to the milliseconds until the next one, and never
 * rejects. The first run begins immediately, or after `firstMs`. Returns a function that stops it,
 * and aborts the signal of the run in progress.
 */
export const repeatOnClock = (
  clock: Pick<Clock, 'schedule'>,
  work: (ending: AbortSignal) => Promise<number>,
  firstMs?: number,
): (() => void) => {
  const ending = new AbortController();
  let clear = (): void => undefined;
  const run = (): void => {
    void work(ending.signal).then((ms) => {
      if (!ending.signal.aborted) clear = clock.schedule(ms, run);
    });
  };
  if (firstMs === undefined) run();
  else clear = clock.schedule(firstMs, run);
  return () => {
    ending.abort();
    clear();
  };
};
