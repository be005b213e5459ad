import type { EndpointId } from '@refledger/contracts';
import type { ClaimedDelivery } from './claimed-delivery.js';

/** What was taken from the store, or planned, ahead of its turn, by endpoint, first in first out. */
export class Trays {
  private readonly trays = new Map<EndpointId, ClaimedDelivery[]>();
  /** Places kept for deliveries that are being planned. */
  private readonly kept = new Map<EndpointId, number>();

  /** Keeps a place when this endpoint has fewer than `limit` in its tray and to come. */
  keep(endpoint: EndpointId, limit: number): boolean {
    const kept = this.kept.get(endpoint) ?? 0;
    if (this.of(endpoint) + kept >= limit) return false;
    this.kept.set(endpoint, kept + 1);
    return true;
  }

  /** Gives up a place that was kept. */
  giveUp(endpoint: EndpointId): void {
    const kept = this.kept.get(endpoint) ?? 0;
    if (kept > 1) this.kept.set(endpoint, kept - 1);
    else this.kept.delete(endpoint);
  }

  of(endpoint: EndpointId): number {
    return this.trays.get(endpoint)?.length ?? 0;
  }

  add(endpoint: EndpointId, deliveries: readonly ClaimedDelivery[]): void {
    if (deliveries.length > 0)
      this.trays.set(endpoint, [...(this.trays.get(endpoint) ?? []), ...deliveries]);
  }

  take(endpoint: EndpointId): ClaimedDelivery | undefined {
    const tray = this.trays.get(endpoint);
    const next = tray?.shift();
    if (tray?.length === 0) this.trays.delete(endpoint);
    return next;
  }

  /** Takes all of an endpoint's. */
  clear(endpoint: EndpointId): readonly ClaimedDelivery[] {
    const all = this.trays.get(endpoint) ?? [];
    this.trays.delete(endpoint);
    return all;
  }

  /** Takes everything. */
  empty(): readonly ClaimedDelivery[] {
    const all = [...this.trays.values()].flat();
    this.trays.clear();
    return all;
  }
}
