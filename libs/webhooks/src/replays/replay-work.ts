import { toInstant } from '@refledger/contracts';
import { repeatOnClock, type Clock } from '@refledger/webhook-endpoints';
import type { DispatcherState } from '../dispatcher-state.js';
import type { Lease, Replay, ReplayStore } from '@refledger/delivery-store';
import type { ReplayPlanner } from './replay-planner.js';
import { longestRestMs, ReplayRoundRobin } from './replay-round-robin.js';

export interface ReplayWorkOptions {
  readonly store: Pick<
    ReplayStore,
    'hasUnsettledReplays' | 'leaseReplays' | 'releaseReplays' | 'runningReplays' | 'countReplays'
  >;
  readonly planner: Pick<ReplayPlanner, 'advance'>;
  readonly state: Pick<DispatcherState, 'maySend'>;
  readonly newLease: () => Lease;
  readonly leaseMs: number;
  readonly clock: Clock;
  readonly logRetry: (what: string, error: unknown) => void;
}

/**
 * Works on replays while this dispatcher has the lease to do so; one dispatcher has it at a time.
 * The replays of an account take turns, so only one of them reads events at a time.
 */
export class ReplayWork {
  private readonly turns = new ReplayRoundRobin();
  private stop: (() => void) | undefined;
  /** The work in progress, or the last. */
  private step: Promise<unknown> = Promise.resolve();
  private readonly lease: Interval;
  private isHeld = false;
  private readonly counting: Interval;

  constructor(private readonly options: ReplayWorkOptions) {
    this.lease = new Interval(options.clock);
    this.counting = new Interval(options.clock);
  }

  start(): void {
    this.halt();
    const work = (ending: AbortSignal) => (this.step = this.work(ending));
    this.stop = repeatOnClock(this.options.clock, work, 0);
  }

  halt(): void {
    this.stop?.();
  }

  /**
   * Halts, and gives up the lease once the work in progress has ended. Never rejects: a lease that
   * cannot be given up ends by itself.
   */
  async close(): Promise<void> {
    this.halt();
    await this.step;
    if (!this.isHeld) return;
    this.isHeld = false;
    const { store, newLease, logRetry } = this.options;
    await store
      .releaseReplays(newLease().holder)
      .catch((error: unknown) => logRetry('giving up the lease of replays', error));
  }

  /**
   * Gives each account one step of its replays. Resolves to the time until the next one, in
   * milliseconds. Never rejects.
   */
  private async work(ending: AbortSignal): Promise<number> {
    const { store, state, clock, logRetry } = this.options;
    if (!state.maySend || this.isOthers) return intervalMs;
    try {
      const running = await store.runningReplays();
      const hasWork = running.length > 0 || (await store.hasUnsettledReplays());
      if (!hasWork || !(await this.hasLease())) return intervalMs;
      await this.count();
      let hasMore = false;
      for (const own of this.turns.nextPerAccount(running, clock.now()))
        hasMore = (await this.runNext(own, ending)) || hasMore;
      return hasMore ? 0 : intervalMs;
    } catch (error) {
      logRetry('working on replays', error);
      return longestRestMs;
    }
  }

  /** Whether another dispatcher had the lease when this one last asked, which was just now. */
  private get isOthers(): boolean {
    return !this.isHeld && !this.lease.isOver;
  }

  /** Whether this dispatcher has the lease. Asks for it again after a third of its duration. */
  private async hasLease(): Promise<boolean> {
    const { store, newLease, leaseMs } = this.options;
    if (!this.lease.isOver) return this.isHeld;
    this.isHeld = await store.leaseReplays(newLease());
    this.lease.start(leaseMs / 3);
    return this.isHeld;
  }

  /**
   * Lets the first of an account's replays that has work do one step. Resolves to whether more work
   * follows at once.
   */
  private async runNext(replays: readonly Replay[], ending: AbortSignal): Promise<boolean> {
    const { planner, clock, logRetry } = this.options;
    for (const replay of replays) {
      if (ending.aborted) return false;
      try {
        if (await planner.advance(replay)) {
          this.turns.record(replay);
          return true;
        }
        this.turns.pauseUntil(replay, clock.now() + intervalMs);
      } catch (error) {
        logRetry('planning a replay', error);
        this.turns.pauseUntil(replay, clock.now() + longestRestMs);
      }
    }
    return false;
  }

  /**
   * Counts the deliveries of some replays, at most once a second, and less often if that is slow.
   */
  private async count(): Promise<void> {
    const { store, clock, logRetry } = this.options;
    if (!this.counting.isOver) return;
    const began = performance.now();
    try {
      await store.countReplays(toInstant(clock.now()), countedAtOnce);
    } catch (error) {
      logRetry('counting the deliveries of replays', error);
    }
    this.counting.start(Math.max(countEveryMs, pausePerCountedMs * (performance.now() - began)));
  }
}

/** A span of time that is also over if the clock was put back meanwhile. */
class Interval {
  private begun = 0;
  private ms = 0;

  constructor(private readonly clock: Pick<Clock, 'now'>) {}

  start(ms: number): void {
    this.begun = this.clock.now();
    this.ms = ms;
  }

  get isOver(): boolean {
    const passed = this.clock.now() - this.begun;
    return passed < 0 || passed >= this.ms;
  }
}

const intervalMs = 500;
const countEveryMs = 1_000;
const countedAtOnce = 50;
const pausePerCountedMs = 20;
