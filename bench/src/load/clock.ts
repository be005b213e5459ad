import { setTimeout as sleep } from 'node:timers/promises';

/** Time in milliseconds, with fractions. */
export interface Clock {
  now(): number;
  /** Resolves at that instant, or immediately if it has passed. */
  sleepUntil(instant: number): Promise<void>;
}

/**
 * The machine's monotonic clock. All processes of the machine share it, so instants of two
 * processes can be compared.
 */
export const machineClock: Clock = {
  now: () => Number(process.hrtime.bigint()) / 1e6,
  sleepUntil: async (instant) => {
    const wait = instant - machineClock.now();
    if (wait > 0) await sleep(wait);
  },
};
