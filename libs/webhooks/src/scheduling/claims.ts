import { laterOf, type DeliveryId, type EndpointId, type Position } from '@refledger/contracts';
import type { EndpointDirectory } from '../endpoints/endpoint-directory.js';
import type { ClaimedDelivery, Lease, SchedulerStore } from '../stores/delivery-store.js';
import type { Attempt, Delivery } from '../stores/delivery.js';

export interface ClaimsOptions {
  readonly store: SchedulerStore;
  readonly directory: Pick<EndpointDirectory, 'followTo'>;
  readonly newLease: () => Lease;
  readonly logRetry: (what: string, error: unknown) => void;
}

/**
 * All deliveries that this dispatcher has claimed: prefetched, in flight, or with an outcome that
 * is not written yet.
 */
export class Claims {
  private readonly claimed = new Set<DeliveryId>();
  private readonly idle = new Set<() => void>();
  /** Claims and releases that are being written. */
  private writing = 0;

  constructor(private readonly options: ClaimsOptions) {}

  /** The deliveries claimed. */
  get ids(): readonly DeliveryId[] {
    return [...this.claimed];
  }

  /**
   * Claims up to `limit` due deliveries of an endpoint. Another dispatcher may have planned them with
   * a version of the endpoint that this one does not know yet, so the endpoints are followed to where
   * they were decided. Rejects when that fails; the deliveries are then due again.
   */
  async claim(endpoint: EndpointId, limit: number): Promise<readonly ClaimedDelivery[]> {
    const { store, newLease } = this.options;
    this.writing++;
    try {
      const due = await store.claim(endpoint, limit, newLease());
      const claimed = due.map(claimedOf);
      for (const { id } of claimed) this.add(id);
      await this.followTo(due).catch(async (error: unknown) => {
        await this.release(claimed);
        throw error;
      });
      return claimed;
    } finally {
      this.writing--;
      this.resolveIdle();
    }
  }

  add(delivery: DeliveryId): void {
    this.claimed.add(delivery);
  }

  /** Forgets a delivery whose outcome is recorded. */
  end(delivery: DeliveryId): void {
    this.claimed.delete(delivery);
    this.resolveIdle();
  }

  /** Renews the lease of everything claimed. */
  async renew(): Promise<void> {
    const { store, newLease } = this.options;
    if (this.claimed.size > 0) await store.renew(newLease());
  }

  /** Releases deliveries that were claimed but not sent. If that fails, they are recovered. */
  async release(deliveries: readonly ClaimedDelivery[]): Promise<void> {
    const { store, newLease, logRetry } = this.options;
    if (deliveries.length === 0) return;
    const ids = deliveries.map(({ id }) => id);
    // forgotten first: they may be claimed again before the release is acknowledged
    for (const id of ids) this.claimed.delete(id);
    this.writing++;
    try {
      await store.release(ids, newLease());
    } catch (error) {
      logRetry('releasing deliveries', error);
    } finally {
      this.writing--;
      this.resolveIdle();
    }
  }

  /** Resolves once nothing is claimed. */
  settled(): Promise<void> {
    return new Promise((resolve) => {
      this.idle.add(resolve);
      this.resolveIdle();
    });
  }

  /** Follows the endpoints to the last position at which one of these deliveries was decided. */
  private async followTo(deliveries: readonly Delivery[]): Promise<void> {
    const last = deliveries
      .map(({ decidedAt }) => decidedAt)
      .reduce<Position | undefined>(laterOf, undefined);
    if (last !== undefined) await this.options.directory.followTo(last);
  }

  private resolveIdle(): void {
    if (this.claimed.size > 0 || this.writing > 0) return;
    for (const resolve of this.idle) resolve();
    this.idle.clear();
  }
}

const claimedOf = (delivery: Delivery): ClaimedDelivery => ({
  ...delivery,
  attempt: delivery.attemptCount,
  earlierFailures: delivery.failures,
  unknownBefore: unknownAtEnd(delivery.attempts.slice(0, -1)),
});

/** How many of the last attempts, in a row, have an unknown outcome. */
const unknownAtEnd = (attempts: readonly Attempt[]): number =>
  attempts.length - 1 - attempts.findLastIndex(({ outcome }) => outcome !== 'unknown');
