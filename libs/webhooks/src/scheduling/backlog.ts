import type { EndpointId } from '@refledger/contracts';
import type { EndpointDirectory } from '@refledger/webhook-endpoints';
import type { ClaimableFrom } from '@refledger/delivery-store';
import type { Claimed, Claims } from './claims.js';
import { PrefetchBuffer } from './prefetch-buffer.js';
import type { Pace } from './rate-limiter.js';

export interface BacklogOptions {
  readonly pace: Pace;
  readonly from: ClaimableFrom;
  readonly claims: Pick<Claims, 'claim'>;
  /** Whether deliveries of this endpoint may be claimed now. */
  readonly isOpen: (endpoint: EndpointId) => boolean;
}

/**
 * Deliveries in the store that are claimed from one source: the endpoints that have any, and the
 * deliveries that were claimed ahead of time.
 */
export class Backlog {
  readonly prefetched = new PrefetchBuffer();
  /** Endpoints with deliveries in the store. */
  private readonly endpoints = new Set<EndpointId>();
  /** Endpoints for which a claim is being written. */
  private readonly claiming = new Set<EndpointId>();

  constructor(private readonly options: BacklogOptions) {}

  get pace(): Pace {
    return this.options.pace;
  }

  get from(): ClaimableFrom {
    return this.options.from;
  }

  /** Records that an endpoint has deliveries in the store. */
  add(endpoint: EndpointId): void {
    if (this.options.isOpen(endpoint)) this.endpoints.add(endpoint);
  }

  has(endpoint: EndpointId): boolean {
    return this.endpoints.has(endpoint);
  }

  /** Whether a delivery of this endpoint is at hand or can be claimed. */
  isReady(endpoint: EndpointId): boolean {
    return this.prefetched.size(endpoint) > 0 || this.mayClaim(endpoint);
  }

  mayClaim(endpoint: EndpointId): boolean {
    return (
      this.endpoints.has(endpoint) && !this.claiming.has(endpoint) && this.options.isOpen(endpoint)
    );
  }

  /** Claims up to `limit` deliveries. There is one claim per endpoint at a time. */
  async claim(endpoint: EndpointId, limit: number): Promise<Claimed['claimed']> {
    this.claiming.add(endpoint);
    this.endpoints.delete(endpoint);
    try {
      const { claims, from } = this.options;
      const { claimed, isAll } = await claims.claim(endpoint, limit, from);
      if (!isAll) this.add(endpoint);
      return claimed;
    } finally {
      this.claiming.delete(endpoint);
    }
  }
}

/** The backlog of deliveries that are due. */
export const dueBacklog = (claims: Pick<Claims, 'claim'>): Backlog =>
  new Backlog({
    pace: 'unlimited',
    from: 'waiting',
    claims,
    isOpen: () => true,
  });

/**
 * A backlog of held deliveries, or of those of replays, which are sent at the catch-up rate while
 * their endpoint is enabled.
 */
export const catchUpBacklog = (
  from: 'held' | 'replay',
  claims: Pick<Claims, 'claim'>,
  directory: Pick<EndpointDirectory, 'latest'>,
): Backlog =>
  new Backlog({
    pace: 'catch-up',
    from,
    claims,
    isOpen: (endpoint) => directory.latest(endpoint)?.status === 'enabled',
  });
