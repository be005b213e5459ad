import { toInstant, type DeliveryId, type EndpointId } from '@refledger/contracts';
import type { Clock } from './clock.js';
import type { Attempted, StartedDelivery } from './courier.js';
import type { Claim, Delivery, DeliveryStore } from './delivery-store.js';
import { DueTimer } from './due-timer.js';
import { Lanes, type LaneLimits } from './lanes.js';
import type { OutcomeWriter } from './outcome-writer.js';
import { Trays } from './trays.js';

export interface DeliveryFlowOptions {
  readonly store: DeliveryStore;
  readonly holder: string;
  readonly leaseMs: number;
  readonly limits: LaneLimits;
  readonly clock: Clock;
  readonly attempt: (delivery: StartedDelivery) => Promise<Attempted>;
  readonly outcomes: Pick<OutcomeWriter, 'add'>;
  /** Hears of each attempt once its outcome is durable. */
  readonly onAttempted: (delivery: StartedDelivery, attempted: Attempted) => void;
  readonly onFailure: (what: string, error: unknown) => void;
}

/**
 * Deliveries on their way. What waits, waits in the store: here are only the requests under way, a few taken ahead for endpoints that answer,
 * and which endpoints have more. It is claimed as room comes free or, for retries, when its time comes.
 */
export class DeliveryFlow {
  private readonly lanes: Lanes;
  private readonly trays = new Trays();
  private readonly timer: DueTimer;
  private readonly backlog = new Set<EndpointId>();
  /** Everything that is leased: in a tray, under way, or with an outcome that isn't written yet. */
  private readonly held = new Set<DeliveryId>();
  private readonly idle = new Set<() => void>();
  private running = false;
  private pumping = false;
  /** Endpoints whose room has changed since the pump last looked. */
  private readonly changed = new Set<EndpointId>();
  private stopLooking: (() => void) | undefined;
  private stopLookingSoon: (() => void) | undefined;

  constructor(private readonly options: DeliveryFlowOptions) {
    this.lanes = new Lanes(options.limits);
    this.timer = new DueTimer(options.clock, options.store, () => void this.takeUp());
  }

  get inFlight(): number {
    return this.lanes.inUse;
  }

  claim(): Claim {
    const now = this.options.clock.now();
    return { holder: this.options.holder, now: toInstant(now), leaseUntil: toInstant(now + this.options.leaseMs) };
  }

  /** Begins to send what is due, also what others have lost. */
  begin(): void {
    if (this.running) return;
    this.running = true;
    this.lookRegularly();
    void this.takeUp();
  }

  /** Takes up nothing more and gives back what was taken ahead; what is under way goes on. */
  halt(): void {
    this.running = false;
    this.timer.stop();
    this.stopLooking?.();
    void this.giveBack(this.trays.empty());
  }

  /** Room for one more request to this endpoint, taken when there is; what waits already goes first. */
  reserve(endpoint: EndpointId): boolean {
    if (this.backlog.has(endpoint) || this.trays.of(endpoint) > 0 || this.lanes.free(endpoint) === 0) return false;
    this.lanes.take(endpoint, 1);
    return true;
  }

  /** Gives back room that was taken and isn't needed. */
  unreserve(endpoint: EndpointId): void {
    this.lanes.release(endpoint, 1);
  }

  /** Something of these endpoints is due and waits in the store. */
  waits(endpoints: ReadonlySet<EndpointId>): void {
    for (const endpoint of endpoints) this.backlog.add(endpoint);
    void this.pump(endpoints);
  }

  /** Sends a delivery that has its room and is written as started. */
  send(delivery: StartedDelivery): void {
    this.held.add(delivery.id);
    void this.carry(delivery);
  }

  /** Claims for these endpoints, where something is due, as much as they have room for. */
  async pump(endpoints: Iterable<EndpointId>): Promise<void> {
    for (const endpoint of endpoints) if (this.backlog.has(endpoint)) this.changed.add(endpoint);
    if (this.pumping) return;
    this.pumping = true;
    try {
      while (this.changed.size > 0 && this.running) {
        const turn = [...this.changed];
        this.changed.clear();
        // together, so that they share one write
        await Promise.all(turn.map((endpoint) => this.claimFor(endpoint)));
      }
    } catch (error) {
      this.options.onFailure('claiming due deliveries', error);
      this.lookSoon();
    } finally {
      this.pumping = false;
      this.tellIdle();
    }
  }

  /** Resolves once nothing is under way and every outcome is written. */
  settled(): Promise<void> {
    return new Promise((resolve) => {
      this.idle.add(resolve);
      this.tellIdle();
    });
  }

  private async claimFor(endpoint: EndpointId): Promise<void> {
    const ahead = this.lanes.ahead(endpoint);
    const inTray = this.trays.of(endpoint);
    const room = this.lanes.free(endpoint) + ahead - inTray;
    // a tray that is still half full is not worth a write
    if (room <= 0 || inTray > ahead / 2 || !this.running) return;
    this.backlog.delete(endpoint);
    try {
      const claimed = await this.options.store.claimDue(endpoint, room, this.claim());
      if (claimed.length === room) this.backlog.add(endpoint);
      const started = claimed.map(startedOf);
      for (const { id } of started) this.held.add(id);
      if (!this.running) return await this.giveBack(started);
      this.trays.add(endpoint, started);
      this.serve(endpoint);
    } catch (error) {
      this.backlog.add(endpoint);
      throw error;
    }
  }

  /** Sends from the endpoint's tray what its lane lets go. */
  private serve(endpoint: EndpointId): void {
    while (this.running && this.lanes.free(endpoint) > 0) {
      const next = this.trays.take(endpoint);
      if (next === undefined) return;
      this.lanes.take(endpoint, 1);
      this.send(next);
    }
  }

  private async carry(delivery: StartedDelivery): Promise<void> {
    const { endpointId: endpoint } = delivery;
    const attempted = await this.options.attempt(delivery);
    if (attempted.sent !== undefined) this.lanes.note(endpoint, attempted.sent.kind === 'answered');
    const others = this.lanes.isFull;
    this.lanes.release(endpoint, 1);
    this.serve(endpoint);
    if (others) for (const other of this.trays.endpoints()) this.serve(other);
    const written = this.options.outcomes.add(attempted.result);
    void this.pump(others ? this.backlog : [endpoint]);
    await written;
    this.held.delete(delivery.id);
    this.options.onAttempted(delivery, attempted);
    const { next } = attempted.result;
    if (this.running && next.status === 'due') this.timer.hear(next.dueAt);
    this.tellIdle();
  }

  private async giveBack(deliveries: readonly StartedDelivery[]): Promise<void> {
    if (deliveries.length === 0) return;
    const ids = deliveries.map(({ id }) => id);
    try {
      await this.options.store.release(ids, this.claim());
    } catch (error) {
      // their leases run out
      this.options.onFailure('giving back deliveries', error);
    }
    for (const id of ids) this.held.delete(id);
    this.tellIdle();
  }

  /** Takes up what is due now and what a lost holder left, and sets the timer for what comes next. */
  private async takeUp(): Promise<void> {
    if (!this.running) return;
    const { store, clock } = this.options;
    try {
      await this.renew();
      const now = toInstant(clock.now());
      await store.recover({ now });
      for (const endpoint of await store.endpointsWithWork(now)) this.backlog.add(endpoint);
      await this.pump(this.backlog);
      if (this.running) await this.timer.set(now);
    } catch (error) {
      this.options.onFailure('looking for due deliveries', error);
      this.lookSoon();
    }
  }

  /** Three times within a lease: renews ours, and finds those that others have lost, or that a failed write of ours has left. */
  private lookRegularly(): void {
    this.stopLooking = this.options.clock.after(this.options.leaseMs / 3, () => {
      void this.takeUp();
      this.lookRegularly();
    });
  }

  /** After a failure, once. */
  private lookSoon(): void {
    this.stopLookingSoon ??= this.options.clock.after(1_000, () => {
      this.stopLookingSoon = undefined;
      void this.takeUp();
    });
  }

  private async renew(): Promise<void> {
    if (this.held.size > 0) await this.options.store.renew([...this.held], this.claim());
  }

  private tellIdle(): void {
    if (this.held.size > 0 || this.pumping) return;
    for (const resolve of this.idle) resolve();
    this.idle.clear();
  }
}

const startedOf = (delivery: Delivery): StartedDelivery => ({
  ...delivery,
  attempt: delivery.attempts.length,
  earlierFailures: delivery.attempts.filter(({ outcome }) => outcome === 'failed').length,
});
