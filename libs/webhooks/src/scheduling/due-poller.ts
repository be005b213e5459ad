import { EventEmitter } from 'node:events';
import { toInstant, type EndpointId } from '@refledger/contracts';
import { sleepOnClock, type Clock } from '@refledger/webhook-endpoints';
import type { Lease, ReplayStore, ClaimableFrom, SchedulerStore } from '@refledger/delivery-store';
import type { Claims } from './claims.js';

export interface DuePollerOptions {
  readonly store: Pick<
    SchedulerStore,
    'recover' | 'reschedule' | 'endpointsDue' | 'endpointsHeld' | 'nextDueAt'
  > &
    Pick<ReplayStore, 'endpointsReplaying'>;
  readonly holder: string;
  /** What this dispatcher is sending. It is not lost, even if its lease has run out. */
  readonly claims: Pick<Claims, 'ids'>;
  readonly newLease: () => Lease;
  readonly leaseMs: number;
  readonly clock: Clock;
  readonly logRetry: (what: string, error: unknown) => void;
}

/** How many polls run at once when all of them hang: more would burden a slow store. */
const maxPolls = 3;

/**
 * Polls the store for due deliveries: when the next one becomes due, and three times per lease.
 * Emits `found` with the endpoints that have deliveries to claim, and from where. Held deliveries
 * and those of replays never become due, so it looks for them only at the start, regularly and on
 * `pollSoon`.
 */
export class DuePoller extends EventEmitter<{
  found: [endpoints: readonly EndpointId[], from: ClaimableFrom];
}> {
  private readonly timer: DueTimer;
  private running = false;
  private polling = false;
  /** Every poll that has not ended, including those that later polls no longer wait for. */
  private readonly unfinished = new Set<Promise<void>>();
  /** The poll requested while one was running: perhaps a regular one, or one for everything. */
  private requested: { readonly regular: boolean; readonly all: boolean } | undefined;
  /**
   * Time of the last poll. Infinity before the first one, which makes that poll reschedule: the
   * clock of an earlier process may have been ahead.
   */
  private polledAt = Infinity;
  /**
   * How many more regular polls reschedule. An outcome from before the clock was put back may be
   * written only after that was noticed.
   */
  private suspectPolls = 0;
  private clearNext: (() => void) | undefined;
  private clearSoon: (() => void) | undefined;

  constructor(private readonly options: DuePollerOptions) {
    super();
    this.timer = new DueTimer(options.clock, () => this.request());
  }

  begin(): void {
    this.running = true;
    this.pollRegularly();
    this.request({ findsAll: true });
  }

  halt(): void {
    this.running = false;
    this.timer.stop();
    this.clearNext?.();
  }

  /** Polls when a delivery becomes due at this instant. */
  expect(dueAt: string): void {
    if (this.running) this.timer.expect(dueAt);
  }

  /** Polls for everything once more, a second after a failure. */
  pollSoon(): void {
    this.clearSoon ??= this.options.clock.schedule(1_000, () => {
      this.clearSoon = undefined;
      this.request({ findsAll: true });
    });
  }

  /**
   * Polls now, or once more after the poll that is running: polls that overlapped on a slow store
   * would make it slower still. It does not wait for a poll that hangs.
   */
  private request({ isRegular = false, findsAll = false } = {}): void {
    const { regular = false, all = false } = this.requested ?? {};
    this.requested = { regular: regular || isRegular, all: all || findsAll };
    if (!this.polling) void this.pollAsRequested();
  }

  private async pollAsRequested(): Promise<void> {
    this.polling = true;
    while (this.running && this.requested !== undefined) {
      const poll = this.poll(this.requested);
      this.requested = undefined;
      this.unfinished.add(poll);
      void poll.then(() => this.unfinished.delete(poll));
      await this.endOrHang(poll);
    }
    this.polling = false;
  }

  /** Resolves when a poll ends, or hangs for a sixth of a lease and may be overtaken. */
  private async endOrHang(poll: Promise<void>): Promise<void> {
    const { clock, leaseMs } = this.options;
    const ended = new AbortController();
    void poll.then(() => ended.abort());
    await sleepOnClock(clock, leaseMs / 6, ended.signal);
    if (this.unfinished.size >= maxPolls) await Promise.race(this.unfinished);
  }

  /** Recovers lost deliveries, reports what is due now, and sets the timer for what is due next. */
  private async poll({ regular, all }: { regular: boolean; all: boolean }): Promise<void> {
    const { store, holder, claims, newLease, clock, logRetry } = this.options;
    try {
      const time = clock.now();
      const wentBack = time < this.polledAt;
      if (wentBack || (regular && this.suspectPolls > 0)) {
        this.suspectPolls = wentBack ? 2 : this.suspectPolls - 1;
        await store.reschedule(newLease());
      }
      this.polledAt = time;
      const now = toInstant(time);
      await store.recover({ holder, sending: claims.ids, now });
      this.emit('found', await store.endpointsDue(now), 'waiting');
      if (all) {
        this.emit('found', await store.endpointsHeld(), 'held');
        this.emit('found', await store.endpointsReplaying(), 'replay');
      }
      const next = this.running ? await store.nextDueAt(now) : undefined;
      if (next !== undefined) this.timer.expect(next);
    } catch (error) {
      logRetry('polling for due deliveries', error);
      this.pollSoon();
    }
  }

  /** Finds deliveries that other dispatchers lost, or that its own failed writes left behind. */
  private pollRegularly(): void {
    this.clearNext = this.options.clock.schedule(this.options.leaseMs / 3, () => {
      this.request({ isRegular: true, findsAll: true });
      this.pollRegularly();
    });
  }
}

/** One timer for the next instant at which a delivery becomes due. */
class DueTimer {
  private next = Infinity;
  private clear: (() => void) | undefined;

  constructor(
    private readonly clock: Clock,
    private readonly onDue: () => void,
  ) {}

  /** Makes sure that the timer ends no later than this instant. */
  expect(dueAt: string): void {
    const at = Date.parse(dueAt);
    if (at >= this.next) return;
    this.stop();
    this.next = at;
    this.clear = this.clock.schedule(Math.max(0, at - this.clock.now()), () => {
      this.next = Infinity;
      this.onDue();
    });
  }

  stop(): void {
    this.clear?.();
    this.next = Infinity;
  }
}
