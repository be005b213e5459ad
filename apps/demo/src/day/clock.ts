import { closes, opens, type Minute } from './day.js';

/**
 * The clock of the shop's day, in minutes since midnight. It runs from opening to closing in the
 * given number of seconds. With 0 it never moves by itself, and there is never anything to wait
 * for.
 */
export const openClock = (seconds: number, now: () => number = () => performance.now()) => {
  const msPerMinute = (seconds * 1_000) / (closes - opens);
  let began = now();
  let pausedAt: number | undefined;
  const elapsed = (): number => (pausedAt ?? now()) - began;
  return {
    minute: (): Minute =>
      seconds === 0 ? opens : Math.min(closes, opens + Math.floor(elapsed() / msPerMinute)),
    msUntil: (minute: Minute) =>
      seconds === 0 ? 0 : Math.max(0, (minute - opens) * msPerMinute - elapsed()),
    /** Stops the clock until `done` settles. */
    pauseUntil: async (done: Promise<void>): Promise<void> => {
      const from = (pausedAt = now());
      try {
        await done;
      } finally {
        pausedAt = undefined;
        began += now() - from;
      }
    },
  };
};
