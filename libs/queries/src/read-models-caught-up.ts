import { backoffMs, sleepBeforeRetry, type EventLog } from '@refledger/event-log';
import type { ReadStore } from '@refledger/read-store';
import { projections } from '@refledger/projections';

export interface CaughtUpOptions {
  readonly log: EventLog;
  readonly store: ReadStore;
  readonly signal: AbortSignal;
  /** Called each time the check fails. The check is then repeated. */
  readonly onFailure: (error: Error) => void;
}

/**
 * True once this release can read every read model and each has reached the head of the log; false
 * if the signal aborts first. A gateway of a new release gets no requests until then: it would
 * answer reads with 503 while a gateway of the previous release can still serve them.
 */
export const readModelsCaughtUp = async ({
  log,
  store,
  signal,
  onFailure,
}: CaughtUpOptions): Promise<boolean> => {
  for (let failures = 0; !signal.aborted;) {
    const recovery = log.availability?.recovery;
    try {
      const head = await log.head();
      if (head === undefined) return true;
      const waiting = { timeoutMs: recheckIntervalMs, signal };
      let reached = true;
      for (const projection of projections)
        reached &&= await store.waitForPosition(projection, log.id, head, waiting);
      if (reached) return true;
      failures = 0;
    } catch (error) {
      if (signal.aborted) break;
      onFailure(error instanceof Error ? error : new Error(String(error)));
      await sleepBeforeRetry(backoffMs(++failures, Math.random()), signal, recovery);
    }
  }
  return false;
};

const recheckIntervalMs = 5_000;
