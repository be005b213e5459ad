import type { EndpointId } from '@refledger/contracts';
import type { ClaimedDelivery } from '../sending/claimed-delivery.js';

/** Deliveries that were claimed, or planned, ahead of time: by endpoint, first in first out. */
export class PrefetchBuffer {
  private readonly deliveries = new Map<EndpointId, ClaimedDelivery[]>();
  /** Room kept for deliveries that are being planned. */
  private readonly reserved = new Map<EndpointId, number>();

  /** Keeps room for one more when this endpoint has fewer than `limit` here and to come. */
  reserve(endpoint: EndpointId, limit: number): boolean {
    const reserved = this.reserved.get(endpoint) ?? 0;
    if (this.size(endpoint) + reserved >= limit) return false;
    this.reserved.set(endpoint, reserved + 1);
    return true;
  }

  /** Gives up room that was kept. */
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

  /** Takes all of an endpoint's. */
  takeAllOf(endpoint: EndpointId): readonly ClaimedDelivery[] {
    const all = this.deliveries.get(endpoint) ?? [];
    this.deliveries.delete(endpoint);
    return all;
  }

  /** Takes everything. */
  takeAll(): readonly ClaimedDelivery[] {
    const all = [...this.deliveries.values()].flat();
    this.deliveries.clear();
    return all;
  }
}
