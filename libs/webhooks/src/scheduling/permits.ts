import type { EndpointId } from '@refledger/contracts';
import type { ConcurrencyLimiter } from './concurrency-limiter.js';
import type { Pace, RateLimiter } from './rate-limiter.js';

export interface PermitsOptions {
  readonly limiter: ConcurrencyLimiter;
  readonly rates: RateLimiter;
}

/** What a request needs to begin: a slot, and a token if its endpoint's rate is limited. */
export class Permits {
  constructor(private readonly options: PermitsOptions) {}

  /** How many slots are in use. */
  get inUse(): number {
    return this.options.limiter.inUse;
  }

  /** Whether the endpoint's own limit allows one more request. */
  hasRoom(endpoint: EndpointId): boolean {
    return this.options.limiter.hasRoom(endpoint);
  }

  /** Whether a request at this pace has a token. */
  hasToken(endpoint: EndpointId, pace: Pace): boolean {
    return this.options.rates.mayBegin(endpoint, pace);
  }

  /** Whether a request may begin now, in a free slot. */
  mayTake(endpoint: EndpointId, pace: Pace): boolean {
    return this.options.limiter.mayTake(endpoint) && this.hasToken(endpoint, pace);
  }

  /** Takes a slot and a token. */
  take(endpoint: EndpointId, pace: Pace): void {
    this.options.limiter.take(endpoint);
    this.options.rates.take(endpoint, pace);
  }

  giveBack(endpoint: EndpointId, pace: Pace): void {
    this.options.limiter.release(endpoint);
    this.options.rates.giveBack(endpoint, pace);
  }

  /**
   * How many deliveries may be prefetched. No more than may be sent within a second: any dispatcher
   * can claim the others.
   */
  prefetchLimit(endpoint: EndpointId, pace: Pace): number {
    const { limiter, rates } = this.options;
    return Math.min(limiter.prefetchLimit(endpoint), rates.perSecond(endpoint, pace));
  }
}
