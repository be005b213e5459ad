import { setImmediate as yieldToEventLoop } from 'node:timers/promises';
import { toInstant, type AccountId } from '@refledger/contracts';
import { repeatOnClock, type Clock, type EndpointDirectory } from '@refledger/webhook-endpoints';
import type { EndpointTracker } from '../endpoint-tracker.js';
import type {
  OperatorStore,
  ReplayStore,
  SchedulerStore,
  SweptDeliveries,
} from '@refledger/delivery-store';

export interface HeldSweepOptions {
  readonly store: Pick<SchedulerStore, 'endpointsHeld' | 'sweep' | 'removeSwept'> &
    Pick<ReplayStore, 'endpointsReplaying'> &
    Pick<OperatorStore, 'counts'>;
  readonly directory: Pick<EndpointDirectory, 'latest'>;
  readonly tracker: Pick<EndpointTracker, 'followTo' | 'changeOf'>;
  readonly clock: Clock;
  /** How long deliveries are held, in milliseconds (HELD_RETENTION). */
  readonly keepMs: number;
  /** The most that are held per endpoint, and per account. */
  readonly maxHeld?: number;
  readonly logRetry: (what: string, error: unknown) => void;
}

/**
 * Cancels held deliveries of endpoints that have not been enabled for `keepMs`, and the oldest ones
 * of endpoints and accounts with too many. Removes what an earlier sweep canceled. It runs at once
 * and then every hour, in small steps. Returns a function that stops it.
 */
export const startHeldSweep = (options: HeldSweepOptions): (() => void) =>
  repeatOnClock(options.clock, (ending) =>
    sweep(options, ending)
      .catch((error: unknown) => options.logRetry('sweeping held deliveries', error))
      .then(() => hourMs),
  );

const sweep = async (
  { store, directory, tracker, clock, keepMs, maxHeld = 1_000_000 }: HeldSweepOptions,
  ending: AbortSignal,
): Promise<void> => {
  // an endpoint may have been enabled since
  await tracker.followTo();
  const now = toInstant(clock.now());
  const before = toInstant(clock.now() - keepMs);
  const cancel = (deliveries: SweptDeliveries, reason: string, max: number): Promise<number> =>
    inSteps(max, ending, (limit) => store.sweep(deliveries, { reason, now, limit }));

  // other dispatchers sweep, too: what was canceled is shown for a while
  const shownSince = toInstant(clock.now() - hourMs / 2);
  await inSteps(Infinity, ending, (limit) => store.removeSwept(shownSince, limit));
  // a delivery may have been made by a replay after its endpoint was unsubscribed
  for (const endpointId of await store.endpointsReplaying()) await tracker.changeOf(endpointId);
  const heldBy = new Map<AccountId, number>();
  for (const endpointId of await store.endpointsHeld()) {
    // a delivery may have been held after its endpoint was unsubscribed
    await tracker.changeOf(endpointId);
    const endpoint = directory.latest(endpointId);
    if (endpoint === undefined) continue;
    const { accountId, stoppedSince } = endpoint;
    if (stoppedSince !== null && stoppedSince < before)
      await cancel({ endpointId, createdBefore: before }, 'held too long', Infinity);
    const { held } = await store.counts(endpointId);
    await cancel({ endpointId }, tooMany, held - maxHeld);
    heldBy.set(accountId, (heldBy.get(accountId) ?? 0) + Math.min(held, maxHeld));
  }
  for (const [accountId, held] of heldBy) await cancel({ accountId }, tooMany, held - maxHeld);
};

const tooMany = 'held too many, replay them';

/** Changes up to `max` deliveries, a few at a time. Resolves to how many. */
const inSteps = async (
  max: number,
  ending: AbortSignal,
  change: (limit: number) => Promise<number>,
): Promise<number> => {
  for (let done = 0; ; await yieldToEventLoop()) {
    const limit = Math.min(step, max - done);
    if (limit <= 0 || ending.aborted) return done;
    const changed = await change(limit);
    done += changed;
    if (changed < limit) return done;
  }
};

export const hourMs = 3_600_000;
const step = 500;
