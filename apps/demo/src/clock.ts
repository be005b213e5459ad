import { closes, opens, type Minute } from './day.js';

/** The shop's clock: from opening to closing in so many seconds. With 0 it never moves by itself, and nothing is ever waited for. */
export const openClock = (seconds: number): { minute(): Minute; msUntil(minute: Minute): number } => {
  const began = performance.now();
  const msPerMinute = (seconds * 1_000) / (closes - opens);
  const elapsed = (): number => performance.now() - began;
  return {
    minute: () => (seconds === 0 ? opens : Math.min(closes, opens + Math.floor(elapsed() / msPerMinute))),
    msUntil: (minute) => (seconds === 0 ? 0 : Math.max(0, (minute - opens) * msPerMinute - elapsed())),
  };
};
