import type { EndpointId } from '@refledger/contracts';

export interface LaneLimits {
  /** Most requests under way to one endpoint. */
  readonly perEndpoint: number;
  /** Most requests under way in all. */
  readonly inAll: number;
}

/**
 * How many requests may be under way. Each endpoint has a lane of its own, so that one which never answers delays no other; and while it
 * doesn't answer its lane is one wide, so that many such together don't fill what all share.
 */
export class Lanes {
  private readonly used = new Map<EndpointId, number>();
  private readonly silent = new Set<EndpointId>();
  private total = 0;

  constructor(private readonly limits: LaneLimits) {}

  get inUse(): number {
    return this.total;
  }

  get isFull(): boolean {
    return this.total >= this.limits.inAll;
  }

  /** How many deliveries may be taken beyond those under way, so that the next is at hand: none for one that doesn't answer. */
  ahead(endpoint: EndpointId): number {
    return this.silent.has(endpoint) ? 0 : this.limits.perEndpoint * 16;
  }

  free(endpoint: EndpointId): number {
    const width = this.silent.has(endpoint) ? 1 : this.limits.perEndpoint;
    return Math.max(0, Math.min(width - (this.used.get(endpoint) ?? 0), this.limits.inAll - this.total));
  }

  take(endpoint: EndpointId, count: number): void {
    this.used.set(endpoint, (this.used.get(endpoint) ?? 0) + count);
    this.total += count;
  }

  release(endpoint: EndpointId, count: number): void {
    const left = (this.used.get(endpoint) ?? 0) - count;
    if (left > 0) this.used.set(endpoint, left);
    else this.used.delete(endpoint);
    this.total -= count;
  }

  /** What the last request to an endpoint showed. */
  note(endpoint: EndpointId, answered: boolean): void {
    if (answered) this.silent.delete(endpoint);
    else this.silent.add(endpoint);
  }
}
