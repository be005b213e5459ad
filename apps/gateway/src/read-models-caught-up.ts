import { backoffMs, abortableSleep, type EventLog } from '@refledger/event-log';
import type { ReadStore } from '@refledger/read-store';
import { projections } from '@refledger/projections';

export interface CatchingUp {
  readonly log: EventLog;
  readonly store: ReadStore;
  readonly signal: AbortSignal;
  /** Hears of an engine that is away, each time it is asked again. */
  readonly onFailure: (error: Error) => void;
}

/**
 * True once this release can read every read model, with all that was in the log at first; false when the signal aborts before. A gateway of a
 * new release is kept from requests until then: it would answer reads with 503, where one of the release before still has its own.
 */
export const readModelsCaughtUp = async ({
  log,
  store,
  signal,
  onFailure,
}: CatchingUp): Promise<boolean> => {
  for (let failures = 0; !signal.aborted;) {
    try {
      const head = await log.head();
      if (head === undefined) return true;
      const reached = await Promise.all(
        projections.map((projection) =>
          store.reached(projection, log.id, head, { timeoutMs: lookAgainMs, signal }),
        ),
      );
      if (reached.every(Boolean)) return true;
      failures = 0;
    } catch (error) {
      if (signal.aborted) break;
      onFailure(error instanceof Error ? error : new Error(String(error)));
      await abortableSleep(backoffMs(++failures, Math.random()), signal);
    }
  }
  return false;
};

const lookAgainMs = 5_000;
