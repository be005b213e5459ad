import type { EndpointId } from '@refledger/contracts';
import type { ConcurrencyLimiter } from './concurrency-limiter.js';
import { latencyClasses } from './latency-classes.js';

/**
 * Decides which endpoint gets the next slot: per latency class the one that has waited longest, one
 * slot per turn.
 */
export class FairQueue {
  private readonly queues = latencyClasses.map(() => new Set<EndpointId>());

  constructor(private readonly limiter: Pick<ConcurrencyLimiter, 'latencyClass' | 'hasSlot'>) {}

  /** Queues the endpoint in its latency class, or leaves it where it is in that queue. */
  join(endpoint: EndpointId): void {
    const latencyClass = this.limiter.latencyClass(endpoint);
    for (const [other, queue] of this.queues.entries())
      if (other !== latencyClass) queue.delete(endpoint);
    this.queues[latencyClass]?.add(endpoint);
  }

  leave(endpoint: EndpointId): void {
    for (const queue of this.queues) queue.delete(endpoint);
  }

  /**
   * Removes and returns the endpoint whose turn it is; undefined when no latency class with a
   * waiting endpoint has a free slot.
   */
  next(): EndpointId | undefined {
    for (const [latencyClass, queue] of this.queues.entries()) {
      const [first] = queue;
      if (first === undefined || !this.limiter.hasSlot(latencyClass)) continue;
      queue.delete(first);
      return first;
    }
    return undefined;
  }
}
