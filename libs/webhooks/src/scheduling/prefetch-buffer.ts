import type { EndpointId } from '@refledger/contracts';
import type { ClaimedDelivery } from '@refledger/delivery-store';

/** Deliveries that were claimed or planned ahead of time, per endpoint, first in, first out. */
export class PrefetchBuffer {
  private readonly deliveries = new Map<EndpointId, ClaimedDelivery[]>();
  /** Number of deliveries being planned for which room is reserved. */
  private readonly reserved = new Map<EndpointId, number>();

  /**
   * Reserves room for one more delivery if this endpoint has fewer than `limit` deliveries and
   * reservations here. Returns whether it did.
   */
  reserve(endpoint: EndpointId, limit: number): boolean {
    const reserved = this.reserved.get(endpoint) ?? 0;
    if (this.size(endpoint) + reserved >= limit) return false;
    this.reserved.set(endpoint, reserved + 1);
    return true;
  }

  /** Frees reserved room. */
  unreserve(endpoint: EndpointId): void {
    const reserved = this.reserved.get(endpoint) ?? 0;
    if (reserved > 1) this.reserved.set(endpoint, reserved - 1);
    else this.reserved.delete(endpoint);
  }

  size(endpoint: EndpointId): number {
    return this.deliveries.get(endpoint)?.length ?? 0;
  }

  add(endpoint: EndpointId, deliveries: readonly ClaimedDelivery[]): void {
    if (deliveries.length > 0)
      this.deliveries.set(endpoint, [...(this.deliveries.get(endpoint) ?? []), ...deliveries]);
  }

  take(endpoint: EndpointId): ClaimedDelivery | undefined {
    const deliveries = this.deliveries.get(endpoint);
    const next = deliveries?.shift();
    if (deliveries?.length === 0) this.deliveries.delete(endpoint);
    return next;
  }

  /** Takes all deliveries of an endpoint. */
  takeAllOf(endpoint: EndpointId): readonly ClaimedDelivery[] {
    const all = this.deliveries.get(endpoint) ?? [];
    this.deliveries.delete(endpoint);
    return all;
  }

  takeAll(): readonly ClaimedDelivery[] {
    const all = [...this.deliveries.values()].flat();
    this.deliveries.clear();
    return all;
  }
}
