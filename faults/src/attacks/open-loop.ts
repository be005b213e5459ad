import { setTimeout as sleep } from 'node:timers/promises';

/** Requests at a constant rate. */
export interface OpenLoop {
  readonly perSecond: number;
  readonly count: number;
  /** Sends the n-th request, from 0, due at `due` (`performance.now()`). Must not reject. */
  readonly send: (n: number, due: number) => Promise<void>;
}

/**
 * Sends by the clock alone, whether or not earlier requests were answered, and waits for the last
 * response. A latency measured from `due` includes the time that a request waited to be sent.
 */
export const runOpenLoop = async ({ perSecond, count, send }: OpenLoop): Promise<void> => {
  const begin = performance.now();
  const sent: Promise<void>[] = [];
  for (let n = 0; n < count; n++) {
    const due = begin + (n * 1_000) / perSecond;
    const early = due - performance.now();
    if (early > 0) await sleep(early);
    sent.push(send(n, due));
  }
  await Promise.all(sent);
};
