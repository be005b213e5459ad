import { setTimeout as sleep } from 'node:timers/promises';

/** Resolves once this end is over, however it went, or after a while: neither a broker that holds still nor a group that waits for a member who died holds up an end. They find out by the session's end. */
export const withTimeout = async (end: Promise<unknown>): Promise<void> =>
  void (await Promise.race([
    end.catch(() => undefined),
    sleep(maxEndMs, undefined, { ref: false }),
  ]));

/** Several ends come one after the other within the time that a process has to stop. */
const maxEndMs = 3_000;
