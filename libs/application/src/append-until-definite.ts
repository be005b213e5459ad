import { setTimeout as sleep } from 'node:timers/promises';
import { EventLogError, isEventLogError, type AppendResult } from '@refledger/event-log';

/** Repeats the identical append after an unknown outcome, until it is known or time is up. */
export const appendUntilDefinite = async (
  append: () => Promise<AppendResult>,
  timeoutMs: number,
): Promise<AppendResult> => {
  const deadline = performance.now() + timeoutMs;
  let unknown: EventLogError | undefined;
  for (let waitMs = 20; ; waitMs = Math.min(waitMs * 2, 1_000)) {
    try {
      return await append();
    } catch (error) {
      if (isEventLogError(error, 'unknown_outcome')) unknown = error;
      if (unknown === undefined || isEventLogError(error, 'wrong_revision', 'too_large'))
        throw error;
      // 'unavailable' now does not rule out that an earlier append was written
      if (performance.now() > deadline)
        throw error === unknown
          ? unknown
          : new EventLogError(unknown.fault, unknown.message, { cause: error });
      await sleep(waitMs * (0.5 + Math.random() / 2));
    }
  }
};
