import { randomUUID } from 'node:crypto';
import { laterOf, toInstant, toPosition, type DeliveryId, type EndpointId, type EventId, type Position } from '@refledger/contracts';
import { PlaceNotFound, type BusBatch, type BusConsumer, type BusPlace } from '@refledger/event-bus';
import { backoffMs, CommandRunner, messageOf, UnreadableEvent } from '@refledger/event-log';
import { BusProgress } from './bus-progress.js';
import { pause, systemClock, type Clock } from './clock.js';
import { courier, type Attempted, type StartedDelivery } from './courier.js';
import { DeliveryFlow, type Reservation } from './delivery-flow.js';
import { ForeignPlace, type Plan } from './delivery-store.js';
import { lagBehind } from './dispatcher-lag.js';
import type { DispatcherOptions } from './dispatcher-options.js';
import { reportAttempt, type DispatcherLag, type DispatcherStatus } from './dispatcher-reports.js';
import { EndpointDirectory } from './endpoint-directory.js';
import { EndpointEndings } from './endpoint-endings.js';
import { EndpointTroubles } from './endpoint-troubles.js';
import { FollowerAdmission, dispatcherName } from './follower-admission.js';
import { OutcomeWriter } from './outcome-writer.js';
import { PlaceWriter } from './place-writer.js';
import { aboveFloor, planDeliveries } from './planner.js';
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
  private readonly ending = new AbortController();
  private readonly cutOff = new AbortController();
  private readonly givenUp = new AbortController();
  private readonly endRetention: () => void;
  private readonly standing: Standing;
  private readonly troubles: EndpointTroubles;
  /** Undefined where the log's order is the bus's, and each batch says how far it has come. */
  private readonly progress: BusProgress | undefined;
  private forgetting = false;
  private failures = 0;
  private floor: Position | undefined;
  private position: Position | undefined;

  constructor(private readonly options: DispatcherOptions) {
    const { log, bus, store, clock = systemClock, holder = `${dispatcherName}-${randomUUID()}`, leaseMs = 30_000, limits = { perEndpoint: 8, inAll: 512 } } = options;
    this.clock = clock;
    this.holder = holder;
    this.troubles = new EndpointTroubles(options.logger);
    this.standing = new Standing(clock, options.logger, () => void this.stand());
    this.runner = new CommandRunner(log, { now: () => clock.now() });
    this.admission = new FollowerAdmission({ log, bus, store, runner: this.runner });
    this.directory = new EndpointDirectory({ log, isSkipped: this.isSkipped, onEnded: (endpoint) => this.endings.cancel(endpoint) });
    this.endings = new EndpointEndings({ store, clock, runner: this.runner, directory: this.directory, mayCancel: () => this.standing.maySend, onFailure: (error) => this.failed('cancelling what waits', error) });
    const outcomes = new OutcomeWriter({ store, holder, clock, signal: this.givenUp.signal, onFailure: (error) => this.failed('writing outcomes', error) });
    this.flow = new DeliveryFlow({
      store, holder, leaseMs, limits, clock, outcomes,
      attempt: courier({ ...options, clock, latest: (endpoint) => this.directory.latest(endpoint), onGone: (endpoint) => this.endings.disable(endpoint), signal: this.cutOff.signal }),
      onAttempted: (delivery, attempted) => this.attempted(delivery, attempted),
      onFailure: (what, error) => this.failed(what, error),
    });
    this.places = new PlaceWriter(store, clock, () => this.flow.newLease(), (error) => this.failed('writing the place', error));
    if (!bus.capabilities.inLogOrder) this.progress = new BusProgress({ bus, store, clock, newLease: () => this.flow.newLease(), onFailure: (error) => this.failed('looking how far the bus is planned', error) });
    this.endRetention = keepRetention({ store, clock, keepMs: options.retentionMs, onFailure: (error) => this.failed('removing old deliveries', error) });
  }

  readonly isSkipped = (eventId: EventId): boolean => this.admission.isSkipped(eventId);

  readonly placeOf = async (partition: string): Promise<BusPlace | undefined> => {
    await this.places.flush();
    this.floor = await this.options.store.floor();
    return this.options.store.place(partition);
  };

  readonly onAssigned = (): void => {
    this.standing.retries(undefined);
    this.standing.assign(true);
    void this.forgetDecision();
  };

  readonly onNoneAssigned = (): void => this.onAssigned();

  /** Its partition waits, while others are planned and what was planned is sent. */
  readonly onUnreadable = (error: UnreadableEvent): Promise<void> => this.waitForSkip(error, this.ending.signal, { goesOn: true });

  /** Resolves once the log allows this store, the endpoints are known, and what an earlier process left started is due. */
  async admitted(signal: AbortSignal): Promise<void> {
    await this.insist(signal, async () => {
      const refusal = await this.admission.admit();
      if (refusal !== undefined) await this.standing.waitFor(`${refusal}. ${resumeAdvice}`, signal, async () => (await this.admission.admit()) === undefined);
      await this.options.store.recover({ now: toInstant(this.clock.now()), leftBy: this.holder });
      await this.directory.followTo();
      if (this.options.bus.capabilities.inLogOrder) this.position = toPosition((await this.options.store.places())[0]?.offset ?? '');
    });
    this.progress?.begin();
    void this.followEndpoints();
  }

  /** Plans a batch and sends what may go at once. Rejects when it is not planned. */
  async handle({ records, place }: BusBatch): Promise<void> {
    const last = aboveFloor(records, this.floor).map(({ position }) => position).reduce<Position | undefined>(laterOf, undefined);
    if (last !== undefined) await this.directory.followTo(last);
    const reserved: Reservation[] = [];
    const mayStart = (endpoint: EndpointId): boolean => {
      const reservation = this.flow.reserve(endpoint);
      if (reservation !== undefined) reserved.push(reservation);
      return reservation !== undefined;
    };
    const deliveries = planDeliveries(records, { floor: this.floor, matching: (record) => this.directory.matching(record), mayStart });
    const { inLogOrder } = this.options.bus.capabilities;
    const floor = inLogOrder ? laterOf(this.floor, last) : this.floor;
    if (deliveries.length === 0) this.places.later({ place, floor });
    else await this.plan({ deliveries, place, floor }, reserved);
    this.floor = floor;
    if (inLogOrder) this.position = laterOf(this.position, toPosition(place.offset));
    this.failures = 0;
    this.standing.retries(undefined);
  }

  /** An error of the bus or of `handle`: loud and for an operator to decide when nothing else helps, else a pause. */
  async met(error: unknown, signal: AbortSignal): Promise<void> {
    this.standing.retries(messageOf(error));
    await this.meet(error, signal);
  }

  private async meet(error: unknown, signal: AbortSignal): Promise<void> {
    if (error instanceof PlaceNotFound || error instanceof ForeignPlace) {
      this.standing.assign(false);
      this.places.forget();
      await this.standing.waitFor(`${error.message}. ${resumeAdvice}`, signal, () => this.admission.decided());
    } else if (error instanceof UnreadableEvent) {
      await this.waitForSkip(error, signal);
    } else {
      this.failed('following the events', error);
      await pause(this.clock, backoffMs(++this.failures, this.clock.random()), signal);
    }
  }

  status(): DispatcherStatus {
    const { state, reason } = this.standing;
    return { state, ...(reason !== undefined && { reason }), position: this.reached, inFlight: this.flow.inFlight };
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
      if (from !== undefined) this.options.logger.warn({ from }, `the decision to resume from ${from} was not needed and is not followed: the webhook-dispatcher has its place`);
    } catch (error) {
      this.failed('looking for decisions', error);
    }
    this.forgetting = false;
  }

  private async plan(plan: Plan, reserved: readonly Reservation[]): Promise<void> {
    const lease = this.flow.newLease();
    let inserted: ReadonlySet<DeliveryId>;
    try {
      inserted = new Set(await this.options.store.plan(plan, lease));
    } catch (error) {
      for (const reservation of reserved) reservation.giveBack();
      throw error;
    }
    this.places.forget(plan.place.partition);
    const waiting = new Set<EndpointId>();
    const next = reserved.values();
    for (const delivery of plan.deliveries) {
      if (delivery.status === 'due') waiting.add(delivery.endpointId);
      else if (inserted.has(delivery.id)) next.next().value?.use({ ...delivery, attempt: 1, earlierFailures: 0 });
      else next.next().value?.giveBack();
    }
    this.flow.waits(waiting);
  }

  /** The flow follows the standing. What waits for endpoints that take no more is cancelled before anything is sent. */
  private async stand(): Promise<void> {
    if (!this.standing.maySend) return this.flow.halt();
    await this.endings.cancelAll();
    if (this.standing.maySend) this.flow.begin();
  }

  private attempted(delivery: StartedDelivery, attempted: Attempted): void {
    const { metrics, logger } = this.options;
    if (metrics !== undefined) reportAttempt(metrics, this.clock.now(), delivery, attempted);
    this.troubles.note(delivery, attempted);
    const { result: { attempt, next } } = attempted;
    if (next.status === 'failed') logger.warn({ delivery: delivery.id, endpoint: delivery.endpointId, attempt: attempt.number, status: attempt.status }, next.reason);
  }

  /** Live, so that a change is known soon also when nothing is planned. */
  private async followEndpoints(): Promise<void> {
    const { signal } = this.ending;
    await this.insist(signal, async () => {
      await this.directory.follow(signal);
      if (!signal.aborted) throw new Error('the subscription to the endpoints ended');
    });
  }

  /** Until it succeeds, or `signal` aborts. */
  private async insist(signal: AbortSignal, work: () => Promise<void>): Promise<void> {
    while (!signal.aborted) {
      try {
        return await work();
      } catch (error) {
        if (!signal.aborted) await this.meet(error, signal);
      }
    }
  }

  private waitForSkip(error: UnreadableEvent, signal: AbortSignal, how?: { readonly goesOn: boolean }): Promise<void> {
    const { id, position } = error.event;
    return this.standing.waitFor(`${error.message}. Mend it, or leave it out: ops skip ${dispatcherName} ${position}`, signal, async () => {
      await this.admission.look();
      return this.admission.isSkipped(id);
    }, how);
  }

  private failed(what: string, error: unknown): void {
    this.options.logger.warn({ err: error }, `${dispatcherName}: ${what} failed; trying again`);
  }
}

const resumeAdvice = `Decide where it goes on: ops resume ${dispatcherName} --from start|head|<position>`;
