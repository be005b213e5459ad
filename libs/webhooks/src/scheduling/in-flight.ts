import { EventEmitter } from 'node:events';
import type { EndpointId } from '@refledger/contracts';
import type { Clock } from '@refledger/webhook-endpoints';
import type { Attempted, AttemptSender } from '../sending/attempt-sender.js';
import type { ClaimedDelivery } from '@refledger/delivery-store';
import type { ConcurrencyLimiter, RequestEnding } from './concurrency-limiter.js';
import { latencyClasses } from './latency-classes.js';

export interface InFlightOptions {
  readonly limiter: Pick<ConcurrencyLimiter, 'begin' | 'age' | 'nextAge'>;
  readonly clock: Clock;
  readonly attempts: Pick<AttemptSender, 'send'>;
}

/**
 * Sends requests, each on the slot that was taken for it. Emits `slowed` for an endpoint that moves
 * to a slower class because one of its requests has hung for long enough.
 */
export class InFlight extends EventEmitter<{ slowed: [endpoint: EndpointId] }> {
  private watching = false;

  constructor(private readonly options: InFlightOptions) {
    super();
  }

  /** Resolves once the attempt has ended and its slot is free. */
  async send(delivery: ClaimedDelivery): Promise<Attempted> {
    const { limiter, clock, attempts } = this.options;
    const end = limiter.begin(delivery.endpointId, clock.now());
    this.watch();
    const attempted = await attempts.send(delivery);
    end(clock.now(), endingOf(attempted));
    return attempted;
  }

  /**
   * One timer for all requests, while there are any. It moves endpoints to a slower class while
   * their requests hang.
   */
  private watch(): void {
    const { limiter, clock } = this.options;
    const next = limiter.nextAge(clock.now());
    if (this.watching || next === undefined) return;
    this.watching = true;
    // the bound matters after the clock was put back, which makes `next` much too long
    clock.after(Math.min(next, latencyClasses[0].underMs), () => {
      this.watching = false;
      for (const endpoint of limiter.age(clock.now())) this.emit('slowed', endpoint);
      this.watch();
    });
  }
}

const endingOf = ({ result, sent }: Attempted): RequestEnding => {
  if (sent === undefined) return undefined;
  if (sent.kind === 'failed') return 'silent';
  return result.next.status === 'succeeded' ? 'succeeded' : 'failed';
};
