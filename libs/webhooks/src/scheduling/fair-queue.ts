import type { AccountId, EndpointId } from '@refledger/contracts';
import type { ConcurrencyLimiter } from './concurrency-limiter.js';
import { latencyClasses } from './latency-classes.js';
import { RoundRobin } from './round-robin.js';

export interface FairQueueOptions {
  readonly limiter: Pick<ConcurrencyLimiter, 'latencyClass' | 'needsSpare' | 'hasSlot'>;
  /** The account of an endpoint; undefined for one that is no longer subscribed. */
  readonly accountOf: (endpoint: EndpointId) => AccountId | undefined;
}

/**
 * Decides which endpoint gets the next slot: per latency class, accounts take turns, and so do the
 * endpoints of each account, with one slot per turn. Endpoints that already use their floor queue
 * for spare slots, which exist only while no other endpoint waits.
 */
export class FairQueue {
  private readonly lines = latencyClasses.flatMap((_, latencyClass): Line[] => [
    { latencyClass, isSpare: false, turns: new RoundRobin() },
    { latencyClass, isSpare: true, turns: new RoundRobin() },
  ]);
  /** The line in which each endpoint queues. */
  private readonly queued = new Map<EndpointId, Line>();

  constructor(private readonly options: FairQueueOptions) {}

  /** Queues the endpoint in its line, or leaves it where it is in that line. */
  join(endpoint: EndpointId): void {
    const { limiter, accountOf } = this.options;
    const [latencyClass, isSpare] = [limiter.latencyClass(endpoint), limiter.needsSpare(endpoint)];
    const line = this.lines.find(
      (one) => one.latencyClass === latencyClass && one.isSpare === isSpare,
    );
    if (line === undefined || this.queued.get(endpoint) === line) return;
    this.leave(endpoint);
    this.queued.set(endpoint, line);
    line.turns.join(endpoint, accountOf(endpoint) ?? endpoint);
  }

  leave(endpoint: EndpointId): void {
    this.queued.get(endpoint)?.turns.leave(endpoint);
    this.queued.delete(endpoint);
  }

  /**
   * Removes and returns the endpoint whose turn it is; undefined when no endpoint that waits may
   * have a slot.
   */
  next(): EndpointId | undefined {
    for (const line of this.lines) {
      if (line.turns.isEmpty || !this.options.limiter.hasSlot(line.latencyClass, line)) continue;
      const next = line.turns.next();
      if (next !== undefined) this.queued.delete(next);
      return next;
    }
    return undefined;
  }
}

/** The endpoints that wait for the same slots. */
interface Line {
  readonly latencyClass: number;
  readonly isSpare: boolean;
  readonly turns: RoundRobin;
}
