import { setImmediate as yieldToEventLoop } from 'node:timers/promises';
import { toInstant } from '@refledger/contracts';
import type { Clock } from '../clock.js';
import type { SchedulerStore } from './delivery-store.js';

export interface RetentionOptions {
  readonly store: Pick<SchedulerStore, 'expire'>;
  readonly clock: Clock;
  /** How long finished deliveries are kept, in milliseconds. */
  readonly keepMs: number;
  readonly logRetry: (what: string, error: unknown) => void;
}

/**
 * Removes finished deliveries once they are older than `keepMs`: at once and then every hour, in
 * small steps that do not block other work. Returns a function that stops it.
 */
export const startRetention = ({
  store,
  clock,
  keepMs,
  logRetry,
}: RetentionOptions): (() => void) => {
  let ended = false;
  let clearTimer = (): void => undefined;
  const removeSteps = async (): Promise<void> => {
    const before = toInstant(clock.now() - keepMs);
    while (!ended && (await store.expire(before, step)) === step) await yieldToEventLoop();
  };
  const turn = (): void => {
    void removeSteps()
      .catch((error: unknown) => logRetry('removing old deliveries', error))
      .then(() => {
        if (!ended) clearTimer = clock.after(hour, turn);
      });
  };
  turn();
  return () => {
    ended = true;
    clearTimer();
  };
};

const step = 100;
const hour = 3_600_000;
