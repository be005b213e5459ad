import { setImmediate as yieldToEventLoop } from 'node:timers/promises';
import { keysOf, toInstant } from '@refledger/contracts';
import { repeatOnClock, type Clock } from '@refledger/webhook-endpoints';
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
  const work = async (ending: AbortSignal): Promise<void> => {
    const before = toInstant(clock.now() - keepMs);
    await inSteps(ending, () => store.expire(before, step));
    await inSteps(ending, () => store.expireReplays(before, step));
    for (const period of keysOf(pointsOf)) {
      const { pointMs, points } = pointsOf[period];
      const start = toInstant(clock.now() - (points + 1) * pointMs);
      await inSteps(ending, () => store.removeStatistics(period, start, step));
    }
  };
  return repeatOnClock(clock, (ending) =>
    work(ending)
      .catch((error: unknown) => logRetry('removing old deliveries', error))
      .then(() => intervalMs),
  );
};

const inSteps = async (ending: AbortSignal, remove: () => Promise<number>): Promise<void> => {
  while (!ending.aborted && (await remove()) === step) await yieldToEventLoop();
};

const intervalMs = 3_600_000;
const step = 100;
