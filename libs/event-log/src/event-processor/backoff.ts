import { setTimeout as sleep } from 'node:timers/promises';

const firstMs = 100;
const mostMs = 10_000;

/** How long to wait before the next try after `failures` in a row: doubling up to 10 s, of which a random part (0 to 1) from the half on, so that many don't come back at once. */
export const backoffMs = (failures: number, random: number): number =>
  Math.min(mostMs, firstMs * 2 ** Math.min(failures - 1, 20)) * (0.5 + random / 2);

/** Waits, less long when the signal aborts. */
export const abortableSleep = async (milliseconds: number, signal: AbortSignal): Promise<void> => {
  try {
    await sleep(milliseconds, undefined, { signal });
  } catch (error) {
    if (!signal.aborted) throw error;
  }
};
