import { setImmediate as yieldToEventLoop } from 'node:timers/promises';

/** Gives the time, and waits. */
export interface Clock {
  /** Milliseconds since 1970. */
  now(): number;
  /** Runs `task` once after `ms` milliseconds. Returns a function that cancels it. */
  schedule(ms: number, task: () => void): () => void;
  /** Resolves once other work that is ready has had its turn. */
  turn(): Promise<void>;
}

/** The clock of the machine, for tests that do not simulate time. */
export const systemClock: Clock = {
  now: Date.now,
  schedule: (ms, task) => {
    const timer = setTimeout(task, ms);
    timer.unref();
    return () => clearTimeout(timer);
  },
  turn: () => yieldToEventLoop(),
};
