import { closes, opens, type Minute } from './day.js';

/** The shop's clock. */
export interface ShopClock {
  minute(): Minute;
  msUntil(minute: Minute): number;
  /** Stands still until `done` is settled. */
  standStill(done: Promise<void>): Promise<void>;
}

/** From opening to closing in so many seconds. With 0 it never moves by itself, and nothing is ever waited for. */
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
