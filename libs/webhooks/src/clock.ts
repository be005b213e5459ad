/** Time and chance, handed in so that tests decide both. */
export interface Clock {
  /** Milliseconds since 1970. */
  now(): number;
  /** 0 to 1. */
  random(): number;
  /** Runs `task` once after `ms`; the answer takes that back. */
  after(ms: number, task: () => void): () => void;
}

export const systemClock: Clock = {
  now: Date.now,
  random: Math.random,
  after(ms, task) {
    // a longer wait than setTimeout can hold ends early: whoever waits looks again anyway
    const timer = setTimeout(task, Math.min(ms, 2 ** 31 - 1));
    timer.unref();
    return () => clearTimeout(timer);
  },
};

/** Later than any instant that something waits for. */
export const endOfTime = '9999-12-31T23:59:59.999Z';

/** Waits `ms`, or until `signal` aborts. */
export const sleepOnClock = (clock: Clock, ms: number, signal: AbortSignal): Promise<void> =>
  new Promise((resolve) => {
    const end = (): void => {
      takeBack();
      signal.removeEventListener('abort', end);
      resolve();
    };
    const takeBack = clock.after(ms, end);
    if (signal.aborted) end();
    else signal.addEventListener('abort', end);
  });
