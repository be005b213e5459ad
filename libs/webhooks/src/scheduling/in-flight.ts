import { EventEmitter } from 'node:events';
import type { EndpointId } from '@refledger/contracts';
import type { Clock } from '@refledger/webhook-endpoints';
import type { AttemptEnd } from '../sending/attempt-sender.js';
import type { ConcurrencyLimiter, RequestEnding } from './concurrency-limiter.js';
import { latencyClasses } from './latency-classes.js';
import type { Rate, RateLimiter } from './rate-limiter.js';

/**
 * The requests in flight. Each needs a slot, and a token if its endpoint's rate is limited. Emits
 * `slowed` for an endpoint that moves to a slower class because one of its requests has hung for
 * long enough, and `again` for one that may have tokens now.
 */
export class InFlight extends EventEmitter<{
  slowed: [endpoint: EndpointId];
  again: [endpoint: EndpointId];
}> {
  private watching = false;

  constructor(
    private readonly limiter: ConcurrencyLimiter,
    private readonly rates: RateLimiter,
    private readonly clock: Pick<Clock, 'now' | 'schedule'>,
  ) {
    super();
    rates.on('again', (endpoint) => this.emit('again', endpoint));
  }

  /** How many slots are in use. */
  get count(): number {
    return this.limiter.inUse;
  }

  /** Whether the endpoint's own limit allows one more request. */
  hasRoom(endpoint: EndpointId): boolean {
    return this.limiter.hasRoom(endpoint);
  }

  /** Whether a request at this pace has a token. If not, `again` follows. */
  hasToken(endpoint: EndpointId, pace: Rate): boolean {
    return this.rates.mayBegin(endpoint, pace);
  }

  /** Whether a request may begin now, in a free slot. */
  mayTake(endpoint: EndpointId, pace: Rate): boolean {
    return this.limiter.mayTake(endpoint) && this.hasToken(endpoint, pace);
  }

  /** Takes a slot and a token. */
  take(endpoint: EndpointId, pace: Rate): void {
    this.limiter.take(endpoint);
    this.rates.take(endpoint, pace);
  }

  /** Releases the slot and the token of a request that does not begin. */
  release(endpoint: EndpointId, pace: Rate): void {
    this.limiter.release(endpoint);
    this.rates.release(endpoint, pace);
  }

  /**
   * How many deliveries may be prefetched. No more than may be sent within a second: any dispatcher
   * can claim the others.
   */
  prefetchLimit(endpoint: EndpointId, pace: Rate): number {
    return Math.min(this.limiter.prefetchLimit(endpoint), this.rates.perSecond(endpoint, pace));
  }

  /** Begins a request on the slot taken for it. Returns a function that frees the slot. */
  begin(endpoint: EndpointId): (attempted: AttemptEnd) => void {
    const { limiter, clock } = this;
    const end = limiter.begin(endpoint, clock.now());
    this.watch();
    return (attempted) => end(clock.now(), endingOf(attempted));
  }

  /**
   * One timer for all requests, while there are any. It moves endpoints to a slower class while
   * their requests hang.
   */
  private watch(): void {
    const { limiter, clock } = this;
    const next = limiter.nextAge(clock.now());
    if (this.watching || next === undefined) return;
    this.watching = true;
    // the bound matters after the clock was put back, which makes `next` much too long
    clock.schedule(Math.min(next, latencyClasses[0].underMs), () => {
      this.watching = false;
      for (const endpoint of limiter.age(clock.now())) this.emit('slowed', endpoint);
      this.watch();
    });
  }
}

const endingOf = ({ result, sent }: AttemptEnd): RequestEnding => {
  if (sent === undefined) return undefined;
  if (sent.kind === 'failed') return 'silent';
  return result.next.status === 'succeeded' ? 'succeeded' : 'failed';
};
