import type { EndpointId } from '@refledger/contracts';
import type { ClaimableFrom, ClaimedDelivery } from '@refledger/delivery-store';
import type { EndpointDirectory } from '@refledger/webhook-endpoints';
import type { Claims } from './claims.js';
import type { Rate } from './rate-limiter.js';

/**
 * Deliveries that are claimed from one source: the endpoints that have any in the store, and the
 * prefetched ones, which were claimed or planned ahead of time. Held deliveries, and those of
 * replays, are sent at the catch-up rate while their endpoint is enabled.
 */
export class Backlog {
  readonly pace: Rate;
  /** Endpoints with deliveries in the store. */
  private readonly endpoints = new Set<EndpointId>();
  /** Endpoints for which a claim is being written. */
  private readonly claiming = new Set<EndpointId>();
  /** First in, first out. */
  private readonly prefetched = new Map<EndpointId, ClaimedDelivery[]>();
  /** Number of deliveries being planned for which room is reserved among the prefetched ones. */
  private readonly reserved = new Map<EndpointId, number>();

  constructor(
    readonly from: ClaimableFrom,
    private readonly claims: Pick<Claims, 'claim' | 'release'>,
    private readonly directory: Pick<EndpointDirectory, 'latest'>,
  ) {
    this.pace = from === 'waiting' ? 'unlimited' : 'catch-up';
  }

  /** Records that an endpoint has deliveries in the store. */
  add(endpoint: EndpointId): void {
    if (this.isOpen(endpoint)) this.endpoints.add(endpoint);
  }

  has(endpoint: EndpointId): boolean {
    return this.endpoints.has(endpoint);
  }

  /** Whether a delivery of this endpoint is at hand or can be claimed. */
  isReady(endpoint: EndpointId): boolean {
    return this.prefetchedOf(endpoint) > 0 || this.mayClaim(endpoint);
  }

  mayClaim(endpoint: EndpointId): boolean {
    return this.endpoints.has(endpoint) && !this.claiming.has(endpoint) && this.isOpen(endpoint);
  }

  /** Claims up to `limit` deliveries. There is one claim per endpoint at a time. */
  async claim(endpoint: EndpointId, limit: number): Promise<readonly ClaimedDelivery[]> {
    this.claiming.add(endpoint);
    this.endpoints.delete(endpoint);
    try {
      const { claimed, isAll } = await this.claims.claim(endpoint, limit, this.from);
      if (!isAll) this.add(endpoint);
      return claimed;
    } finally {
      this.claiming.delete(endpoint);
    }
  }

  /** How many deliveries of this endpoint are prefetched. */
  prefetchedOf(endpoint: EndpointId): number {
    return this.prefetched.get(endpoint)?.length ?? 0;
  }

  /** Keeps deliveries that are claimed until their turn. */
  prefetch(endpoint: EndpointId, deliveries: readonly ClaimedDelivery[]): void {
    if (deliveries.length > 0)
      this.prefetched.set(endpoint, [...(this.prefetched.get(endpoint) ?? []), ...deliveries]);
  }

  /** Removes and returns the next prefetched delivery. */
  take(endpoint: EndpointId): ClaimedDelivery | undefined {
    const deliveries = this.prefetched.get(endpoint);
    const next = deliveries?.shift();
    if (deliveries?.length === 0) this.prefetched.delete(endpoint);
    return next;
  }

  /** Releases the prefetched deliveries of some endpoints, by default of all. */
  async release(endpoints: Iterable<EndpointId> = this.prefetched.keys()): Promise<void> {
    const released = [...endpoints].flatMap((endpoint) => {
      const deliveries = this.prefetched.get(endpoint) ?? [];
      this.prefetched.delete(endpoint);
      return deliveries;
    });
    await this.claims.release(released, this.from);
  }

  /**
   * Reserves room to prefetch one more delivery if this endpoint has fewer than `limit` prefetched
   * deliveries and reservations. Returns whether it did.
   */
  reserve(endpoint: EndpointId, limit: number): boolean {
    const reserved = this.reserved.get(endpoint) ?? 0;
    if (this.prefetchedOf(endpoint) + reserved >= limit) return false;
    this.reserved.set(endpoint, reserved + 1);
    return true;
  }

  /** Frees reserved room. */
  unreserve(endpoint: EndpointId): void {
    const reserved = this.reserved.get(endpoint) ?? 0;
    if (reserved > 1) this.reserved.set(endpoint, reserved - 1);
    else this.reserved.delete(endpoint);
  }

  /** Whether deliveries of this endpoint may be claimed now. */
  private isOpen(endpoint: EndpointId): boolean {
    return this.from === 'waiting' || this.directory.latest(endpoint)?.status === 'enabled';
  }
}
