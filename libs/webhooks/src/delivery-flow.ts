import type { EndpointId } from '@refledger/contracts';
import type { Clock } from './clock.js';
import type { ClaimedDelivery } from './claimed-delivery.js';
import type { Lease, DeliveryStore } from './delivery-store.js';
import { Lanes, type LaneLimits } from './lanes.js';
import { Leases } from './leases.js';
import { Lookout } from './lookout.js';
import { SlotLine } from './slot-line.js';
import { Trays } from './trays.js';
import { UnderWay, type UnderWayOptions } from './under-way.js';

export interface DeliveryFlowOptions extends Pick<
  UnderWayOptions,
  'attempts' | 'outcomes' | 'onAttempted'
> {
  readonly store: DeliveryStore;
  readonly holder: string;
  readonly leaseMs: number;
  readonly limits: LaneLimits;
  readonly clock: Clock;
  readonly onFailure: (what: string, error: unknown) => void;
}

/** Room for one delivery that is being planned. */
export interface Reservation {
  /** For this delivery, which is written as started. */
  use(delivery: ClaimedDelivery): void;
  giveBack(): void;
}

/**
 * Deliveries on their way. What waits, waits in the store: here are only the requests under way, a few taken ahead for endpoints that answer
 * quickly, and which endpoints have more. Whoever has work stands in line for a slot; with it comes a delivery from the endpoint's tray, or one
 * is claimed with a lease.
 */
export class DeliveryFlow {
  private readonly lanes: Lanes;
  private readonly slotLine: SlotLine;
  private readonly trays = new Trays();
  private readonly leases: Leases;
  private readonly lookout: Lookout;
  private readonly underWay: UnderWay;
  /** Endpoints with something due in the store. */
  private readonly backlog = new Set<EndpointId>();
  /** Endpoints of which some are being taken. */
  private readonly taking = new Set<EndpointId>();
  private running = false;

  constructor(private readonly options: DeliveryFlowOptions) {
    this.lanes = new Lanes(options.limits);
    this.slotLine = new SlotLine(this.lanes);
    this.leases = new Leases(options);
    this.lookout = new Lookout({
      ...options,
      leases: this.leases,
      onDue: (endpoints) => this.waits(endpoints),
    });
    this.underWay = new UnderWay({
      ...options,
      lanes: this.lanes,
      leases: this.leases,
      onSlotFree: (endpoint) => this.line([endpoint]),
      onSlowed: (endpoint) => void this.slowed(endpoint),
      onDueAgain: (dueAt) => this.lookout.hear(dueAt),
    });
  }

  get inFlight(): number {
    return this.lanes.inUse;
  }

  /** The endpoint is there no more. */
  forget(endpoint: EndpointId): void {
    this.lanes.forget(endpoint);
  }

  newLease(): Lease {
    return this.leases.newLease();
  }

  /** Begins to send what is due, also what others have lost. */
  begin(): void {
    if (this.running) return;
    this.running = true;
    this.lookout.begin();
  }

  /** Takes up nothing more and gives back what was taken ahead; what is under way goes on. */
  halt(): void {
    this.running = false;
    this.lookout.halt();
    void this.leases.giveBack(this.trays.empty());
  }

  /** Room for one more delivery of this endpoint: a slot, or a place in its tray. None while some wait in the store, which go first. */
  reserve(endpoint: EndpointId): Reservation | undefined {
    if (this.backlog.has(endpoint)) return undefined;
    if (
      this.trays.of(endpoint) === 0 &&
      this.lanes.hasRoom(endpoint) &&
      this.lanes.hasSlot(this.lanes.pace(endpoint))
    ) {
      this.lanes.take(endpoint);
      return {
        use: (delivery) => this.underWay.send(delivery),
        giveBack: () => {
          this.lanes.release(endpoint);
          this.line([endpoint]);
        },
      };
    }
    if (!this.trays.keep(endpoint, this.lanes.ahead(endpoint))) return undefined;
    return {
      use: (delivery) => {
        this.trays.giveUp(endpoint);
        this.putAhead(endpoint, [delivery]);
      },
      giveBack: () => this.trays.giveUp(endpoint),
    };
  }

  /** Something of these endpoints is due and waits in the store. */
  waits(endpoints: Iterable<EndpointId>): void {
    const all = [...endpoints];
    for (const endpoint of all) this.backlog.add(endpoint);
    this.line(all);
  }

  /** Resolves once nothing is under way and every outcome is written. */
  settled(): Promise<void> {
    return this.leases.settled();
  }

  /** For their turn; given back when there is to be none. */
  private putAhead(endpoint: EndpointId, deliveries: readonly ClaimedDelivery[]): void {
    for (const { id } of deliveries) this.leases.hold(id);
    if (!this.running) return void this.leases.giveBack(deliveries);
    this.trays.add(endpoint, deliveries);
    if (this.lanes.ahead(endpoint) === 0) void this.slowed(endpoint);
    else this.line([endpoint]);
  }

  /** Puts each of these in line, or out of it, as it is now; then gives out what slots there are. */
  private line(endpoints: Iterable<EndpointId>): void {
    for (const endpoint of endpoints) this.place(endpoint);
    while (this.running) {
      const next = this.slotLine.next();
      if (next === undefined) return;
      this.serve(next);
      this.place(next);
    }
  }

  private place(endpoint: EndpointId): void {
    const ready =
      this.trays.of(endpoint) > 0 || (this.backlog.has(endpoint) && !this.taking.has(endpoint));
    if (ready && this.lanes.hasRoom(endpoint)) this.slotLine.join(endpoint);
    else this.slotLine.leave(endpoint);
  }

  /** It is this endpoint's turn, and there is a slot. */
  private serve(endpoint: EndpointId): void {
    this.lanes.take(endpoint);
    const next = this.trays.take(endpoint);
    if (next === undefined) void this.take(endpoint, 1);
    else this.underWay.send(next);
    // a tray that is still half full is not worth a write
    const worthIt =
      this.trays.of(endpoint) * 2 <= this.lanes.ahead(endpoint) && this.lanes.ahead(endpoint) > 0;
    if (worthIt && this.backlog.has(endpoint) && !this.taking.has(endpoint))
      void this.take(endpoint, 0);
  }

  /** Takes as much as its tray may hold, and one more for the slot when one was taken for it. */
  private async take(endpoint: EndpointId, slots: 0 | 1): Promise<void> {
    const limit = slots + Math.max(0, this.lanes.ahead(endpoint) - this.trays.of(endpoint));
    this.taking.add(endpoint);
    this.backlog.delete(endpoint);
    let taken: readonly ClaimedDelivery[] = [];
    try {
      taken = await this.leases.take(endpoint, limit);
      if (taken.length === limit) this.backlog.add(endpoint);
    } catch (error) {
      this.options.onFailure('taking due deliveries', error);
      // it waits in the store still, and is found there
      this.lookout.soon();
    }
    this.taking.delete(endpoint);
    if (this.running) this.trays.add(endpoint, taken);
    else void this.leases.giveBack(taken);
    const first = slots === 1 ? this.trays.take(endpoint) : undefined;
    if (first !== undefined) this.underWay.send(first);
    else if (slots === 1) this.lanes.release(endpoint);
    this.line([endpoint]);
  }

  /** Its quick slots are free for others. What it would hold for long in its tray, it gives back. */
  private async slowed(endpoint: EndpointId): Promise<void> {
    this.line([endpoint]);
    if (this.lanes.ahead(endpoint) > 0 || this.trays.of(endpoint) === 0) return;
    await this.leases.giveBack(this.trays.clear(endpoint));
    this.waits([endpoint]);
  }
}
