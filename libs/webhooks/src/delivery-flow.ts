import { toInstant, type DeliveryId, type EndpointId } from '@refledger/contracts';
import type { Clock } from './clock.js';
import type { Attempted, StartedDelivery } from './courier.js';
import type { Claim, DeliveryStore } from './delivery-store.js';
import { DueTimer } from './due-timer.js';
import { Lanes, type LaneLimits } from './lanes.js';
import type { OutcomeWriter } from './outcome-writer.js';

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
 * Deliveries on their way. What waits, waits in the store: here are only the requests under way, and which endpoints have something due that
 * their lane had no room for. It is claimed when room comes free or, for retries, when its time comes.
 */
export class DeliveryFlow {
  private readonly lanes: Lanes;
  private readonly timer: DueTimer;
  private readonly backlog = new Set<EndpointId>();
  private readonly underway = new Set<DeliveryId>();
  private readonly idle = new Set<() => void>();
  private running = false;
  private pumping = false;
  private pumpAgain = false;
  private stopRenewing: (() => void) | undefined;

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
    this.renewLater();
    void this.takeUp();
  }

  /** Takes up nothing more; what is under way goes on. */
  halt(): void {
    this.running = false;
    this.timer.stop();
    this.stopRenewing?.();
  }

  /** Room for one more request to this endpoint, taken when there is; what waits already goes first. */
  reserve(endpoint: EndpointId): boolean {
    if (this.backlog.has(endpoint) || this.lanes.free(endpoint) === 0) return false;
    this.lanes.take(endpoint, 1);
    return true;
  }

  /** Gives back room that was taken and isn't needed. */
  unreserve(endpoint: EndpointId): void {
    this.release(endpoint, 1);
  }

  /** Something of this endpoint is due and waits in the store. */
  waits(endpoint: EndpointId): void {
    this.backlog.add(endpoint);
  }

  /** Sends a delivery that has its room and is written as started. */
  send(delivery: StartedDelivery): void {
    this.underway.add(delivery.id);
    void this.carry(delivery);
  }

  /** Claims for every endpoint that has something due as much as it has room for. */
  async pump(): Promise<void> {
    this.pumpAgain = true;
    if (this.pumping) return;
    this.pumping = true;
    try {
      while (this.pumpAgain && this.running) {
        this.pumpAgain = false;
        for (const endpoint of [...this.backlog]) await this.claimFor(endpoint);
      }
    } catch (error) {
      this.options.onFailure('claiming due deliveries', error);
      this.options.clock.after(1_000, () => void this.pump());
    } finally {
      this.pumping = false;
    }
  }

  /** Resolves once nothing is under way. */
  settled(): Promise<void> {
    return this.inFlight === 0 ? Promise.resolve() : new Promise((resolve) => this.idle.add(resolve));
  }

  private async claimFor(endpoint: EndpointId): Promise<void> {
    const room = this.lanes.free(endpoint);
    if (room === 0 || !this.running) return;
    this.backlog.delete(endpoint);
    this.lanes.take(endpoint, room);
    let claimed = 0;
    try {
      const deliveries = await this.options.store.claimDue(endpoint, room, this.claim());
      claimed = deliveries.length;
      for (const delivery of deliveries) {
        const attempt = delivery.attempts.at(-1);
        this.send({ ...delivery, attempt: attempt?.number ?? 1, startedAt: attempt?.startedAt ?? delivery.createdAt });
      }
      if (claimed === room) this.backlog.add(endpoint);
    } catch (error) {
      this.backlog.add(endpoint);
      throw error;
    } finally {
      this.release(endpoint, room - claimed);
    }
  }

  private async carry(delivery: StartedDelivery): Promise<void> {
    const { attempt, outcomes, onAttempted } = this.options;
    const attempted = await attempt(delivery);
    if (attempted.sent !== undefined) this.lanes.note(delivery.endpointId, attempted.sent.kind === 'answered');
    await outcomes.add(attempted.result);
    this.underway.delete(delivery.id);
    onAttempted(delivery, attempted);
    if (this.running && attempted.result.next.status === 'due') this.timer.hear(attempted.result.next.dueAt);
    this.release(delivery.endpointId, 1);
    if (this.backlog.size > 0) void this.pump();
  }

  private release(endpoint: EndpointId, count: number): void {
    this.lanes.release(endpoint, count);
    if (this.inFlight > 0) return;
    for (const resolve of this.idle) resolve();
    this.idle.clear();
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
      await this.pump();
      if (this.running) await this.timer.set(now);
    } catch (error) {
      this.options.onFailure('looking for due deliveries', error);
      clock.after(1_000, () => void this.takeUp());
    }
  }

  private renewLater(): void {
    this.stopRenewing = this.options.clock.after(this.options.leaseMs / 3, () => {
      this.renew().catch((error: unknown) => this.options.onFailure('renewing leases', error));
      this.renewLater();
    });
  }

  private async renew(): Promise<void> {
    if (this.underway.size > 0) await this.options.store.renew([...this.underway], this.claim());
  }
}
