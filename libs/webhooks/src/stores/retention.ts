import { setImmediate as yieldToEventLoop } from 'node:timers/promises';
import { toInstant } from '@refledger/contracts';
import type { Clock } from '../clock.js';
import type { RetryLog } from '../retry-log.js';
import type { DeliveryStore } from './delivery-store.js';

export interface RetentionOptions {
  readonly store: Pick<DeliveryStore, 'expire'>;
  readonly clock: Clock;
  /** How long finished deliveries are kept, in milliseconds. */
  readonly keepMs: number;
  readonly retryLog: Pick<RetryLog, 'failed'>;
}

/**
 * Removes finished deliveries once they are older than `keepMs`: at once and then every hour, in
 * small steps that do not block other work. Returns a function that stops it.
 */
export const keepRetention = ({
  store,
  clock,
  keepMs,
  retryLog,
}: RetentionOptions): (() => void) => {
  let ended = false;
  let clearTimer = (): void => undefined;
  const removeSteps = async (): Promise<void> => {
    const before = toInstant(clock.now() - keepMs);
    while (!ended && (await store.expire(before, step)) === step) await yieldToEventLoop();
  };
  const turn = (): void => {
    void removeSteps()
      .catch((error: unknown) => retryLog.failed('removing old deliveries', error))
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
