import { randomUUID } from 'node:crypto';
import {
  laterOf,
  toInstant,
  toPosition,
  type EndpointId,
  type EventId,
  type Position,
} from '@refledger/contracts';
import type { BusBatch, BusConsumer, BusPlace } from '@refledger/event-bus';
import { CommandRunner, messageOf, type UnreadableEvent } from '@refledger/event-log';
import { BatchPlanner } from './batch-planner.js';
import { BusProgress } from './bus-progress.js';
import { systemClock, type Clock } from './clock.js';
import { AttemptSender, type Attempted } from './attempt-sender.js';
import type { ClaimedDelivery } from './claimed-delivery.js';
import { DeliveryFlow } from './delivery-flow.js';
import { lagBehind } from './dispatcher-lag.js';
import type { DispatcherOptions } from './dispatcher-options.js';
import { reportAttempt, type DispatcherLag, type DispatcherStatus } from './dispatcher-reports.js';
import { EndpointDirectory } from './endpoint-directory.js';
import { EndpointEndings } from './endpoint-endings.js';
import { EndpointTroubles } from './endpoint-troubles.js';
import { FollowerAdmission, dispatcherName } from './follower-admission.js';
import { cancelLost } from './lost-events.js';
import { Obstacles } from './obstacles.js';
import { OutcomeWriter } from './outcome-writer.js';
import { PlaceWriter } from './place-writer.js';
import { keepRetention } from './retention.js';
import { Standing } from './standing.js';

/**
 * Plans a delivery for every endpoint that an event matches, and sees each to its end. `keepConsuming` (or the Nest strategy over it) brings the batches.
 */
export class WebhookDispatcher implements BusConsumer {
  private readonly clock: Clock;
  private readonly holder: string;
  private readonly runner: CommandRunner;
  private readonly admission: FollowerAdmission;
  private readonly directory: EndpointDirectory;
  private readonly endings: EndpointEndings;
  private readonly flow: DeliveryFlow;
  private readonly places: PlaceWriter;
  private readonly planner: BatchPlanner;
  private readonly ending = new AbortController();
  private readonly cutOff = new AbortController();
  private readonly givenUp = new AbortController();
  private readonly endRetention: () => void;
  private readonly standing: Standing;
  private readonly obstacles: Obstacles;
  private readonly troubles: EndpointTroubles;
  /** Undefined where the log's order is the bus's, and each batch says how far it has come. */
  private readonly progress: BusProgress | undefined;
  private forgetting = false;
  private position: Position | undefined;

  constructor(private readonly options: DispatcherOptions) {
    const {
      log,
      bus,
      store,
      clock = systemClock,
      holder = `${dispatcherName}-${randomUUID()}`,
      leaseMs = 30_000,
      limits = { perEndpoint: 8, inAll: 512 },
    } = options;
    this.clock = clock;
    this.holder = holder;
    this.troubles = new EndpointTroubles(options.logger);
    this.standing = new Standing(clock, options.logger, () => void this.stand());
    this.runner = new CommandRunner(log, { now: () => clock.now() });
    this.admission = new FollowerAdmission({
      log,
      bus,
      store,
      runner: this.runner,
      cancelLost: () => this.cancelLost(),
    });
    this.obstacles = new Obstacles({
      clock,
      logger: options.logger,
      standing: this.standing,
      admission: this.admission,
      onPlaceLost: () => this.places.forget(),
    });
    this.directory = new EndpointDirectory({
      log,
      isSkipped: this.isSkipped,
      onEnded: (endpoint) => this.ended(endpoint),
    });
    this.endings = new EndpointEndings({
      store,
      clock,
      runner: this.runner,
      directory: this.directory,
      mayCancel: () => this.standing.maySend,
      onFailure: (error) => this.obstacles.failed('cancelling what waits', error),
    });
    const outcomes = new OutcomeWriter({
      store,
      holder,
      clock,
      signal: this.givenUp.signal,
      onFailure: (error) => this.obstacles.failed('writing outcomes', error),
    });
    this.flow = new DeliveryFlow({
      store,
      holder,
      leaseMs,
      limits,
      clock,
      outcomes,
      attempts: new AttemptSender({
        ...options,
        clock,
        endpoints: this.directory,
        disabling: this.endings,
        signal: this.cutOff.signal,
      }),
      onAttempted: (delivery, attempted) => this.attempted(delivery, attempted),
      onFailure: (what, error) => this.obstacles.failed(what, error),
    });
    this.places = new PlaceWriter(
      store,
      clock,
      () => this.flow.newLease(),
      (error) => this.obstacles.failed('writing the place', error),
    );
    this.planner = new BatchPlanner({
      store,
      directory: this.directory,
      flow: this.flow,
      places: this.places,
      inLogOrder: bus.capabilities.inLogOrder,
    });
    if (!bus.capabilities.inLogOrder)
      this.progress = new BusProgress({
        bus,
        store,
        clock,
        newLease: () => this.flow.newLease(),
        onFloor: (floor) => this.planner.raiseFloor(floor),
        onFailure: (error) => this.obstacles.failed('looking how far the bus is planned', error),
      });
    this.endRetention = keepRetention({
      store,
      clock,
      keepMs: options.retentionMs,
      onFailure: (error) => this.obstacles.failed('removing old deliveries', error),
    });
  }

  readonly isSkipped = (eventId: EventId): boolean => this.admission.isSkipped(eventId);

  readonly placeOf = (partition: string): Promise<BusPlace | undefined> =>
    this.planner.placeOf(partition);

  readonly onAssigned = (): void => {
    this.standing.retries(undefined);
    this.standing.assign(true);
    void this.forgetDecision();
  };

  readonly onNoneAssigned = (): void => this.onAssigned();

  /** Its partition waits, while others are planned and what was planned is sent. */
  readonly onUnreadable = (error: UnreadableEvent): Promise<void> =>
    this.obstacles.waitForSkip(error, this.ending.signal, { goesOn: true });

  /** Resolves once the log allows this store, the endpoints are known, and what an earlier process left started is due. */
  async admitted(signal: AbortSignal): Promise<void> {
    await this.obstacles.insist(signal, async () => {
      const refusal = await this.admission.admit();
      if (refusal !== undefined)
        await this.obstacles.waitForResume(
          refusal,
          signal,
          async () => (await this.admission.admit()) === undefined,
        );
      await this.options.store.recover({ now: toInstant(this.clock.now()), leftBy: this.holder });
      this.directory.forgetUpTo(await this.options.store.floor());
      await this.directory.followTo();
      if (this.options.bus.capabilities.inLogOrder)
        this.position = toPosition((await this.options.store.places())[0]?.offset ?? '');
    });
    this.progress?.begin();
    void this.followEndpoints();
  }

  /** Plans a batch and sends what may go at once. Rejects when it is not planned. */
  async handle(batch: BusBatch): Promise<void> {
    await this.planner.plan(batch);
    if (this.options.bus.capabilities.inLogOrder)
      this.position = laterOf(this.position, toPosition(batch.place.offset));
    this.obstacles.overcome();
    this.standing.retries(undefined);
  }

  /** An error of the bus or of `handle`: loud and for an operator to decide when nothing else helps, else a pause. */
  async met(error: unknown, signal: AbortSignal): Promise<void> {
    this.standing.retries(messageOf(error));
    await this.obstacles.meet(error, signal);
  }

  status(): DispatcherStatus {
    const { state, reason } = this.standing;
    return {
      state,
      ...(reason !== undefined && { reason }),
      position: this.reached,
      inFlight: this.flow.inFlight,
    };
  }

  /** Takes up nothing more, and waits for requests under way until the deadline; those that are cut off then count as unknown and are tried after the next start. */
  async close({ deadlineMs }: { readonly deadlineMs: number }): Promise<void> {
    this.ending.abort();
    this.progress?.end();
    this.standing.close();
    this.endRetention();
    const takeBack = this.clock.after(deadlineMs, () => this.cutOff.abort());
    const giveUp = this.clock.after(deadlineMs + 2_000, () => this.givenUp.abort());
    await this.flow.settled();
    takeBack();
    giveUp();
    this.places.stop();
    await this.places.flush();
  }

  lag(): Promise<DispatcherLag> {
    return lagBehind(this.options.log, this.reached, this.clock.now());
  }

  private get reached(): Position | undefined {
    return this.progress === undefined ? this.position : this.progress.position;
  }

  /** Once for all partitions that were assigned together. */
  private async forgetDecision(): Promise<void> {
    if (this.forgetting) return;
    this.forgetting = true;
    try {
      const from = await this.admission.forgetDecision();
      if (from !== undefined)
        this.options.logger.warn(
          { from },
          `the decision to resume from ${from} was not needed and is not followed: the webhook-dispatcher has its place`,
        );
    } catch (error) {
      this.obstacles.failed('looking for decisions', error);
    }
    this.forgetting = false;
  }

  /** The flow follows the standing. What waits for endpoints that take no more is cancelled before anything is sent. */
  private async stand(): Promise<void> {
    if (!this.standing.maySend) return this.flow.halt();
    await this.endings.cancelAll();
    if (this.standing.maySend) this.flow.begin();
  }

  /** Also what an earlier process left started. */
  private async cancelLost(): Promise<void> {
    const { log, store, logger } = this.options;
    await store.recover({ now: toInstant(this.clock.now()), leftBy: this.holder });
    const cancelled = await cancelLost({ log, store, clock: this.clock });
    if (cancelled > 0)
      logger.warn(
        { cancelled },
        `cancelled ${cancelled} deliveries of events that are no longer in the log`,
      );
  }

  private attempted(delivery: ClaimedDelivery, attempted: Attempted): void {
    const { metrics, logger } = this.options;
    if (metrics !== undefined) reportAttempt(metrics, this.clock.now(), delivery, attempted);
    // of one that was unsubscribed meanwhile nothing is kept
    if (this.directory.latest(delivery.endpointId) !== undefined)
      this.troubles.note(delivery, attempted);
    const {
      result: { attempt, next },
    } = attempted;
    if (next.status === 'failed')
      logger.warn(
        {
          delivery: delivery.id,
          endpoint: delivery.endpointId,
          attempt: attempt.number,
          status: attempt.status,
        },
        next.reason,
      );
  }

  /** An endpoint was disabled or unsubscribed: what waits for it is cancelled, and of one that is not there any more nothing is kept. */
  private ended(endpoint: EndpointId): Promise<void> {
    if (this.directory.latest(endpoint) === undefined) {
      this.flow.forget(endpoint);
      this.troubles.forget(endpoint);
    }
    return this.endings.cancel(endpoint);
  }

  /** Live, so that a change is known soon also when nothing is planned. */
  private async followEndpoints(): Promise<void> {
    const { signal } = this.ending;
    await this.obstacles.insist(signal, async () => {
      await this.directory.follow(signal);
      if (!signal.aborted) throw new Error('the subscription to the endpoints ended');
    });
  }
}
