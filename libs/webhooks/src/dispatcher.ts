import { streams, toInstant, type EventId, type Position } from '@refledger/contracts';
import type { BusBatch, BusConsumer, Offset } from '@refledger/event-bus';
import { messageOf, type UnreadableEvent } from '@refledger/event-log';
import { lagOf, type DispatcherLag, type DispatcherStatus } from './dispatcher-reports.js';
import type { DispatcherOptions } from './dispatcher-options.js';
import { dispatcherParts, type DispatcherParts } from './dispatcher-parts.js';
import { startHeldSweep } from './maintenance/held-sweep.js';
import { startRetention } from './maintenance/retention.js';

/**
 * Plans a delivery for every endpoint that an event matches, and attempts each delivery until it
 * ends. `keepConsuming` (or the Nest strategy around it) supplies the batches.
 */
export class WebhookDispatcher implements BusConsumer {
  private readonly parts: DispatcherParts;
  private readonly ending = new AbortController();
  private readonly cutOff = new AbortController();
  private readonly givenUp = new AbortController();
  private readonly endRetention: () => void;
  private endSweep: (() => void) | undefined;

  constructor(private readonly options: DispatcherOptions) {
    this.parts = dispatcherParts(options, {
      cutOff: this.cutOff.signal,
      givenUp: this.givenUp.signal,
    });
    this.parts.state.on('change', () => void this.followState());
    const { store, clock, logRetry } = this.parts;
    this.endRetention = startRetention({ store, clock, keepMs: options.retentionMs, logRetry });
  }

  readonly isSkipped = (eventId: EventId): boolean => this.parts.guard.isSkipped(eventId);

  readonly offsetOf = async (partition: string): Promise<Offset | undefined> => {
    const { planner, progress, store } = this.parts;
    const offset = await planner.offsetOf(partition);
    progress?.continueAbove(await store.floor());
    return offset;
  };

  readonly onAssigned = (partition?: string): void => {
    this.parts.state.setFailure(undefined);
    this.parts.state.assign(true);
    this.parts.decisions.accepted(partition);
  };

  readonly onNoneAssigned = (): void => this.onAssigned();

  /**
   * The event's partition waits, while other partitions are planned and planned deliveries are
   * sent.
   */
  readonly onUnreadable = (error: UnreadableEvent): Promise<void> =>
    this.parts.errors.waitForSkip(error, this.ending.signal, { keepsSending: true });

  /**
   * Resolves once the log accepts this store, the endpoints are known, and the deliveries that an
   * earlier process of the same holder left sending are due again; or when the signal aborts.
   */
  async admitted(signal: AbortSignal): Promise<void> {
    const { store, clock, holder, guard, errors, directory, tracker, progress } = this.parts;
    this.warnOfLateDisabling();
    await errors.retryUntilDone(signal, async () => {
      const refusal = await guard.admit();
      if (refusal !== undefined)
        await errors.waitForResume(
          refusal,
          signal,
          async () => (await guard.admit()) === undefined,
        );
      // it may have been ended while it waited, without a decision about this store
      if (signal.aborted) return;
      await store.recoverLeftBy(holder, toInstant(clock.now()));
      directory.forgetUpTo(await store.floor());
      await tracker.followTo();
    });
    if (signal.aborted) return;
    progress?.start();
    const { decisions, logRetry } = this.parts;
    decisions.start();
    const keepMs = this.options.heldRetentionMs;
    this.endSweep ??= startHeldSweep({ store, directory, tracker, clock, keepMs, logRetry });
    void this.followEndpoints();
  }

  /**
   * Plans a batch and sends the deliveries that may go at once. Rejects when the batch is not
   * planned.
   */
  async handle(batch: BusBatch): Promise<void> {
    const { planner, errors, state } = this.parts;
    await planner.plan(batch);
    errors.succeeded();
    state.setFailure(undefined);
    state.blockedWork.end(planning);
  }

  /**
   * Handles an error from the bus or from `handle`. Waits for an operator where nothing else helps,
   * and backs off otherwise.
   */
  async onError(error: unknown, signal: AbortSignal): Promise<void> {
    const { state } = this.parts;
    state.setFailure(messageOf(error));
    state.blockedWork.add(planning, error);
    await this.parts.errors.handle(error, signal);
  }

  status(): DispatcherStatus {
    const { state, reason, sendsNothing } = this.parts.state;
    return {
      state,
      ...(reason !== undefined && { reason }),
      ...(sendsNothing !== undefined && { sendsNothing }),
      position: this.reached,
      inFlight: this.parts.scheduler.inFlight,
    };
  }

  /**
   * Starts no more attempts, and waits up to `deadlineMs` milliseconds for requests in flight.
   * Requests that are aborted then have the outcome `unknown` and are attempted again after the
   * next start.
   */
  async close({ deadlineMs }: { readonly deadlineMs: number }): Promise<void> {
    const { clock, state, scheduler, offsets, progress, decisions, statistics, replays, logger } =
      this.parts;
    this.ending.abort();
    progress?.end();
    decisions.end();
    state.close();
    this.endRetention();
    this.endSweep?.();
    const clearCutOff = clock.schedule(deadlineMs, () => this.cutOff.abort());
    const clearGivenUp = clock.schedule(deadlineMs + 2_000, () => this.givenUp.abort());
    await scheduler.settled();
    statistics.stop();
    clearCutOff();
    clearGivenUp();
    offsets.stop();
    await offsets
      .flush()
      .catch((error: unknown) =>
        logger.warn(
          { err: error },
          'the last offset was not written; its events are planned again',
        ),
      );
    await statistics.flush();
    await replays.close();
  }

  lag(): Promise<DispatcherLag> {
    const { clock, directory } = this.parts;
    return lagOf({
      log: this.options.log,
      planned: this.reached,
      followed: directory.reached,
      endpoints: streams.allWebhooks,
      now: clock.now(),
    });
  }

  private get reached(): Position | undefined {
    const { progress, planner } = this.parts;
    return (progress ?? planner).position;
  }

  /** Deliveries must not fail for good before their endpoint is disabled, which holds them. */
  private warnOfLateDisabling(): void {
    const { disableAfterMs, schedule } = this.options;
    const retryMs = schedule.reduce((sum, wait) => sum + wait, 0);
    // less a tenth, since waits vary by that much
    if (disableAfterMs === 0 || disableAfterMs < 0.9 * retryMs) return;
    this.parts.logger.warn(
      { disableAfterMs, retryMs },
      'WEBHOOK_DISABLE_AFTER is at least 90% of the sum of WEBHOOK_RETRY_SCHEDULE, so deliveries may fail permanently before their endpoint is disabled. Set it lower, or lengthen the schedule.',
    );
  }

  /**
   * Starts or halts sending as the state demands. Before it starts, it holds or cancels the
   * deliveries of endpoints that are not enabled.
   */
  private async followState(): Promise<void> {
    const { state, scheduler, tracker, health, replays } = this.parts;
    if (!state.maySend) {
      scheduler.halt();
      health.halt();
      replays.halt();
      return;
    }
    await tracker.changeAll();
    if (!state.maySend) return;
    scheduler.begin();
    health.start();
    replays.start();
  }

  private async followEndpoints(): Promise<void> {
    const { signal } = this.ending;
    const { errors, tracker } = this.parts;
    await errors.retryUntilDone(signal, async () => {
      await tracker.follow(signal);
      if (!signal.aborted) throw new Error('the subscription to the endpoints ended');
    });
  }
}

/** Names the planning of events among what is held up. */
const planning = 'planning';
