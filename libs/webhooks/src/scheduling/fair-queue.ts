import type { EndpointId } from '@refledger/contracts';
import type { ConcurrencyLimiter } from './concurrency-limiter.js';
import { latencyClasses } from './latency-classes.js';

/** Who gets the next slot: of each latency class the endpoint that has waited longest, and one slot a turn. */
export class FairQueue {
  private readonly queues = latencyClasses.map(() => new Set<EndpointId>());

  constructor(private readonly limiter: Pick<ConcurrencyLimiter, 'latencyClass' | 'hasSlot'>) {}

  /** Queues in its latency class; keeps its offset there when it has one. */
  join(endpoint: EndpointId): void {
    const latencyClass = this.limiter.latencyClass(endpoint);
    for (const [other, queue] of this.queues.entries())
      if (other !== latencyClass) queue.delete(endpoint);
    this.queues[latencyClass]?.add(endpoint);
  }

  leave(endpoint: EndpointId): void {
    for (const queue of this.queues) queue.delete(endpoint);
  }

  /** Whose turn it is, now that there is a slot for it; it has left the queue then. */
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
