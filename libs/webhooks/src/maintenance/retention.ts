import { setImmediate as yieldToEventLoop } from 'node:timers/promises';
import { keysOf, toInstant } from '@refledger/contracts';
import type { Clock } from '@refledger/webhook-endpoints';
import { repeatHourly } from './repeat-hourly.js';
import {
  type ReplayStore,
  pointsOf,
  type SchedulerStore,
  type StatisticsStore,
} from '@refledger/delivery-store';

export interface RetentionOptions {
  readonly store: Pick<SchedulerStore, 'expire'> &
    Pick<ReplayStore, 'expireReplays'> &
    Pick<StatisticsStore, 'removeStatistics'>;
  readonly clock: Clock;
  /** How long finished deliveries are kept, in milliseconds. */
  readonly keepMs: number;
  readonly logRetry: (what: string, error: unknown) => void;
}

/**
 * Removes finished deliveries and replays once they are older than `keepMs`, and statistics once
 * their period no longer shows them: at once and then every hour, in small steps that do not block
 * other work. Returns a function that stops it.
 */
export const startRetention = ({
  store,
  clock,
  keepMs,
  logRetry,
}: RetentionOptions): (() => void) => {
  const work = async (isEnded: () => boolean): Promise<void> => {
    const before = toInstant(clock.now() - keepMs);
    await inSteps(isEnded, () => store.expire(before, step));
    await inSteps(isEnded, () => store.expireReplays(before, step));
    for (const period of keysOf(pointsOf)) {
      const { pointMs, points } = pointsOf[period];
      const start = toInstant(clock.now() - (points + 1) * pointMs);
      await inSteps(isEnded, () => store.removeStatistics(period, start, step));
    }
  };
  return repeatHourly({
    clock,
    work,
    onFailure: (error) => logRetry('removing old deliveries', error),
  });
};

const inSteps = async (isEnded: () => boolean, remove: () => Promise<number>): Promise<void> => {
  while (!isEnded() && (await remove()) === step) await yieldToEventLoop();
};

const step = 100;
