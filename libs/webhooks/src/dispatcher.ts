import { laterOf, toInstant, toPosition, type EventId, type Position } from '@refledger/contracts';
import type { BusBatch, BusConsumer, Offset } from '@refledger/event-bus';
import { messageOf, type UnreadableEvent } from '@refledger/event-log';
import { lagBehind } from './dispatcher-lag.js';
import type { DispatcherOptions } from './dispatcher-options.js';
import { dispatcherParts, type DispatcherParts } from './dispatcher-parts.js';
import type { DispatcherLag, DispatcherStatus } from './dispatcher-reports.js';
import { keepRetention } from './stores/retention.js';

/**
 * Plans a delivery for every endpoint that an event matches, and sees each to its end. `keepConsuming` (or the Nest strategy over it) brings the batches.
 */
export class WebhookDispatcher implements BusConsumer {
  private readonly parts: DispatcherParts;
  private readonly ending = new AbortController();
  private readonly cutOff = new AbortController();
  private readonly givenUp = new AbortController();
  private readonly endRetention: () => void;
  private forgetting = false;
  private position: Position | undefined;

  constructor(private readonly options: DispatcherOptions) {
    this.parts = dispatcherParts(options, {
      cutOff: this.cutOff.signal,
      givenUp: this.givenUp.signal,
    });
    this.parts.state.on('change', () => void this.followState());
    this.endRetention = keepRetention({ ...this.parts, keepMs: options.retentionMs });
  }

  readonly isSkipped = (eventId: EventId): boolean => this.parts.guard.isSkipped(eventId);

  readonly offsetOf = (partition: string): Promise<Offset | undefined> =>
    this.parts.planner.offsetOf(partition);

  readonly onAssigned = (): void => {
    this.parts.state.retries(undefined);
    this.parts.state.assign(true);
    void this.forgetDecision();
  };

  readonly onNoneAssigned = (): void => this.onAssigned();

  /** Its partition waits, while others are planned and what was planned is sent. */
  readonly onUnreadable = (error: UnreadableEvent): Promise<void> =>
    this.parts.errors.waitForSkip(error, this.ending.signal, { goesOn: true });

  /** Resolves once the log allows this store, the endpoints are known, and what an earlier process left started is due. */
  async admitted(signal: AbortSignal): Promise<void> {
    const { bus, store, clock, holder, guard, errors, directory, tracker, progress } = this.parts;
    await errors.insist(signal, async () => {
      const refusal = await guard.admit();
      if (refusal !== undefined)
        await errors.waitForResume(
          refusal,
          signal,
          async () => (await guard.admit()) === undefined,
        );
      await store.recover({ now: toInstant(clock.now()), leftBy: holder });
      directory.forgetUpTo(await store.floor());
      await tracker.followTo();
      if (bus.capabilities.inLogOrder)
        this.position = toPosition((await store.offsets())[0]?.offset ?? '');
    });
    progress?.begin();
    void this.followEndpoints();
  }

  /** Plans a batch and sends what may go at once. Rejects when it is not planned. */
  async handle(batch: BusBatch): Promise<void> {
    const { bus, planner, errors, state } = this.parts;
    await planner.plan(batch);
    if (bus.capabilities.inLogOrder)
      this.position = laterOf(this.position, toPosition(batch.offset.offset));
    errors.succeeded();
    state.retries(undefined);
  }

  /** An error of the bus or of `handle`: loud and for an operator to decide when nothing else helps, else a backoff. */
  async met(error: unknown, signal: AbortSignal): Promise<void> {
    this.parts.state.retries(messageOf(error));
    await this.parts.errors.meet(error, signal);
  }

  status(): DispatcherStatus {
    const { state, reason } = this.parts.state;
    return {
      state,
      ...(reason !== undefined && { reason }),
      position: this.reached,
      inFlight: this.parts.scheduler.inFlight,
    };
  }

  /** Takes up nothing more, and waits for requests in flight until the deadline; those that are cut off then count as unknown and are tried after the next start. */
  async close({ deadlineMs }: { readonly deadlineMs: number }): Promise<void> {
    const { clock, state, scheduler, offsets, progress } = this.parts;
    this.ending.abort();
    progress?.end();
    state.close();
    this.endRetention();
    const clearCutOff = clock.after(deadlineMs, () => this.cutOff.abort());
    const clearGivenUp = clock.after(deadlineMs + 2_000, () => this.givenUp.abort());
    await scheduler.settled();
    clearCutOff();
    clearGivenUp();
    offsets.stop();
    await offsets.flush();
  }

  lag(): Promise<DispatcherLag> {
    return lagBehind(this.options.log, this.reached, this.parts.clock.now());
  }

  private get reached(): Position | undefined {
    const { progress } = this.parts;
    return progress === undefined ? this.position : progress.position;
  }

  /** Once for all partitions that were assigned together. */
  private async forgetDecision(): Promise<void> {
    const { guard, logger, retryLog } = this.parts;
    if (this.forgetting) return;
    this.forgetting = true;
    try {
      const from = await guard.forgetDecision();
      if (from !== undefined)
        logger.warn(
          { from },
          `the decision to resume from ${from} was not needed and is not followed: the webhook-dispatcher has its offset`,
        );
    } catch (error) {
      retryLog.failed('looking for decisions', error);
    }
    this.forgetting = false;
  }

  /** Deliveries go out only where the state allows it. What waits for endpoints that take no more is canceled before anything is sent. */
  private async followState(): Promise<void> {
    const { state, scheduler, tracker } = this.parts;
    if (!state.maySend) return scheduler.halt();
    await tracker.cancelAll();
    if (state.maySend) scheduler.begin();
  }

  private async followEndpoints(): Promise<void> {
    const { signal } = this.ending;
    const { errors, tracker } = this.parts;
    await errors.insist(signal, async () => {
      await tracker.follow(signal);
      if (!signal.aborted) throw new Error('the subscription to the endpoints ended');
    });
  }
}
