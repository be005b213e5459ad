import { setTimeout as sleep } from 'node:timers/promises';

/**
 * Awaits the shutdown of a client, whether it succeeds or fails, but at most 3 s. Neither a hung
 * broker nor a group that waits for a dead member may block shutdown; both notice it when the
 * session times out.
 */
export const withTimeout = async (end: Promise<unknown>): Promise<void> =>
  void (await Promise.race([
    end.catch(() => undefined),
    sleep(maxEndMs, undefined, { ref: false }),
  ]));

/** Several shutdowns follow one another within the time that a process has to stop. */
const maxEndMs = 3_000;
