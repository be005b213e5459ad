import { closes, opens, type Minute } from './day.js';

export interface ShopClock {
  minute(): Minute;
  msUntil(minute: Minute): number;
  /** Stops the clock until `done` settles. */
  standStill(done: Promise<void>): Promise<void>;
}

/**
 * A clock that runs from opening to closing in the given number of seconds. With 0 it never moves
 * by itself, and there is never anything to wait for.
 */
export const openClock = (
  seconds: number,
  now: () => number = () => performance.now(),
): ShopClock => {
  const msPerMinute = (seconds * 1_000) / (closes - opens);
  let began = now();
  let stoodAt: number | undefined;
  const elapsed = (): number => (stoodAt ?? now()) - began;
  return {
    minute: () =>
      seconds === 0 ? opens : Math.min(closes, opens + Math.floor(elapsed() / msPerMinute)),
    msUntil: (minute) =>
      seconds === 0 ? 0 : Math.max(0, (minute - opens) * msPerMinute - elapsed()),
    standStill: async (done) => {
      const from = (stoodAt = now());
      try {
        await done;
      } finally {
        stoodAt = undefined;
        began += now() - from;
      }
    },
  };
};
