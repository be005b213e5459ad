import { toInstant, type DeliveryId, type EndpointId } from '@refledger/contracts';
import type { Clock } from './clock.js';
import type { ClaimedDelivery } from './claimed-delivery.js';
import type { Lease, Delivery, DeliveryStore } from './delivery-store.js';

export interface LeasesOptions {
  readonly store: Pick<DeliveryStore, 'takeDue' | 'renew' | 'release'>;
  readonly holder: string;
  readonly leaseMs: number;
  readonly clock: Clock;
  readonly onFailure: (what: string, error: unknown) => void;
}

/** Everything that is leased: taken ahead, under way, or with an outcome that isn't written yet. */
export class Leases {
  private readonly held = new Set<DeliveryId>();
  private readonly idle = new Set<() => void>();
  /** Takings and returns that are being written. */
  private writing = 0;

  constructor(private readonly options: LeasesOptions) {}

  /** A lease from now on. */
  newLease(): Lease {
    const { holder, leaseMs, clock } = this.options;
    const now = clock.now();
    return { holder, now: toInstant(now), leaseUntil: toInstant(now + leaseMs) };
  }

  /** Takes what is due for an endpoint, up to `limit`. */
  async take(endpoint: EndpointId, limit: number): Promise<readonly ClaimedDelivery[]> {
    this.writing++;
    try {
      const started = (await this.options.store.takeDue(endpoint, limit, this.newLease())).map(
        startedOf,
      );
      for (const { id } of started) this.hold(id);
      return started;
    } finally {
      this.writing--;
      this.tellIdle();
    }
  }

  hold(delivery: DeliveryId): void {
    this.held.add(delivery);
  }

  letGo(delivery: DeliveryId): void {
    this.held.delete(delivery);
    this.tellIdle();
  }

  async renew(): Promise<void> {
    if (this.held.size > 0) await this.options.store.renew([...this.held], this.newLease());
  }

  /** Gives back what was taken and not sent. When that fails, the leases run out. */
  async giveBack(deliveries: readonly ClaimedDelivery[]): Promise<void> {
    if (deliveries.length === 0) return;
    const ids = deliveries.map(({ id }) => id);
    // first, since they may be taken again before we hear that they are back
    for (const id of ids) this.held.delete(id);
    this.writing++;
    try {
      await this.options.store.release(ids, this.newLease());
    } catch (error) {
      this.options.onFailure('giving back deliveries', error);
    } finally {
      this.writing--;
      this.tellIdle();
    }
  }

  /** Resolves once nothing is leased. */
  settled(): Promise<void> {
    return new Promise((resolve) => {
      this.idle.add(resolve);
      this.tellIdle();
    });
  }

  private tellIdle(): void {
    if (this.held.size > 0 || this.writing > 0) return;
    for (const resolve of this.idle) resolve();
    this.idle.clear();
  }
}

const startedOf = (delivery: Delivery): ClaimedDelivery => ({
  ...delivery,
  attempt: delivery.attempts.length,
  earlierFailures: delivery.attempts.filter(({ outcome }) => outcome === 'failed').length,
});
