import type { EndpointId } from '@refledger/contracts';
import type { ClaimedDelivery, SchedulerStore } from '../stores/delivery-store.js';
import type { AttemptReporter } from './attempt-reporter.js';
import { Claims, type ClaimsOptions } from './claims.js';
import type { ConcurrencyLimiter } from './concurrency-limiter.js';
import { DuePoller, type DuePollerOptions } from './due-poller.js';
import { FairQueue, type FairQueueOptions } from './fair-queue.js';
import { InFlight, type InFlightOptions } from './in-flight.js';
import { LeaseRenewal } from './lease-renewal.js';
import type { OutcomeWriter } from './outcome-writer.js';
import { PrefetchBuffer } from './prefetch-buffer.js';
import type { RateLimiter } from './rate-limiter.js';

export interface SchedulerOptions
  extends
    Pick<FairQueueOptions, 'accountOf'>,
    Pick<InFlightOptions, 'attempts'>,
    Pick<ClaimsOptions, 'directory'>,
    Pick<DuePollerOptions, 'holder' | 'newLease' | 'leaseMs' | 'clock' | 'logRetry'> {
  readonly store: SchedulerStore;
  readonly limiter: ConcurrencyLimiter;
  readonly rates: RateLimiter;
  readonly outcomes: Pick<OutcomeWriter, 'add'>;
  readonly reporter: Pick<AttemptReporter, 'report'>;
}

/** Room for one delivery that is being planned. */
export interface Reservation {
  /** Uses the room for this delivery, which is stored as `sending`. */
  use(delivery: ClaimedDelivery): void;
  release(): void;
}

/**
 * Decides which delivery is attempted when. Waiting deliveries stay in the store; memory holds only
 * the requests in flight, a few deliveries prefetched for endpoints that respond quickly, and the
 * set of endpoints with more work. An endpoint with work queues for a slot. With the slot it gets a
 * prefetched delivery, or one is claimed with a lease.
 */
export class Scheduler {
  private readonly limiter: ConcurrencyLimiter;
  private readonly queue: FairQueue;
  private readonly prefetched = new PrefetchBuffer();
  private readonly claims: Claims;
  private readonly renewal: LeaseRenewal;
  private readonly duePoller: DuePoller;
  private readonly inFlightRequests: InFlight;
  /** Endpoints with due deliveries in the store. */
  private readonly backlog = new Set<EndpointId>();
  /** Endpoints for which a claim is being written. */
  private readonly claiming = new Set<EndpointId>();
  private running = false;

  constructor(private readonly options: SchedulerOptions) {
    this.limiter = options.limiter;
    this.queue = new FairQueue(options);
    this.claims = new Claims(options);
    this.renewal = new LeaseRenewal({ ...options, claims: this.claims });
    this.duePoller = new DuePoller({ ...options, claims: this.claims });
    this.duePoller.on('waiting', (endpoints) => this.enqueue(endpoints));
    this.inFlightRequests = new InFlight(options);
    this.inFlightRequests.on('slowed', (endpoint) => void this.slowed(endpoint));
    options.rates.on('again', (endpoint) => this.schedule([endpoint]));
  }

  get inFlight(): number {
    return this.limiter.inUse;
  }

  /** Begins to send due deliveries, including those that other dispatchers lost. */
  begin(): void {
    if (this.running) return;
    this.running = true;
    this.renewal.begin();
    this.duePoller.begin();
  }

  /** Starts no more requests and releases prefetched deliveries. Requests in flight continue. */
  halt(): void {
    this.running = false;
    this.renewal.halt();
    this.duePoller.halt();
    void this.claims.release(this.prefetched.takeAll());
  }

  /**
   * Reserves room for one more delivery of this endpoint: a slot, or room in its prefetch buffer.
   * Undefined when there is none, or while deliveries of the endpoint wait in the store, since
   * those go first.
   */
  reserve(endpoint: EndpointId): Reservation | undefined {
    if (this.backlog.has(endpoint)) return undefined;
    const { limiter, prefetched } = this;
    const { rates } = this.options;
    if (prefetched.size(endpoint) === 0 && limiter.mayTake(endpoint) && rates.mayBegin(endpoint)) {
      this.take(endpoint);
      return {
        use: (delivery) => void this.send(delivery),
        release: () => {
          this.giveBack(endpoint);
          this.schedule([endpoint]);
        },
      };
    }
    if (!prefetched.reserve(endpoint, this.prefetchLimit(endpoint))) return undefined;
    return {
      use: (delivery) => {
        prefetched.unreserve(endpoint);
        this.prefetch(endpoint, delivery);
      },
      release: () => prefetched.unreserve(endpoint),
    };
  }

  /** Records that these endpoints have due deliveries in the store. */
  enqueue(endpoints: Iterable<EndpointId>): void {
    const all = [...endpoints];
    for (const endpoint of all) this.backlog.add(endpoint);
    this.schedule(all);
  }

  /** Resolves once nothing is in flight and every outcome is written. */
  settled(): Promise<void> {
    return this.claims.settled();
  }

  /** Sends a delivery that has its slot and is stored as `sending`, and records its outcome. */
  private async send(delivery: ClaimedDelivery): Promise<void> {
    const { endpointId, id } = delivery;
    this.claims.add(id);
    const attempted = await this.inFlightRequests.send(delivery);
    const recorded = this.options.outcomes.add(attempted.result);
    this.schedule([endpointId]);
    await recorded;
    this.options.reporter.report(delivery, attempted);
    const { next } = attempted.result;
    if (next.status === 'waiting') this.duePoller.expect(next.dueAt);
    this.claims.end(id);
  }

  /** Keeps a delivery until its turn, or releases it when the scheduler is halted. */
  private prefetch(endpoint: EndpointId, delivery: ClaimedDelivery): void {
    this.claims.add(delivery.id);
    if (!this.running) return void this.claims.release([delivery]);
    this.prefetched.add(endpoint, [delivery]);
    if (this.prefetchLimit(endpoint) === 0) void this.slowed(endpoint);
    else this.schedule([endpoint]);
  }

  /**
   * Queues each of these endpoints, or removes it from the queue, by its current state. Then gives
   * out the free slots. Does nothing while halted: the first poll after that finds what is due.
   */
  private schedule(endpoints: Iterable<EndpointId>): void {
    if (!this.running) return;
    for (const endpoint of endpoints) this.requeue(endpoint);
    while (this.running) {
      const next = this.queue.next();
      if (next === undefined) return;
      this.serve(next);
      this.requeue(next);
    }
  }

  private requeue(endpoint: EndpointId): void {
    const ready = this.prefetched.size(endpoint) > 0 || this.mayClaim(endpoint);
    const mayBegin =
      ready && this.limiter.hasRoom(endpoint) && this.options.rates.mayBegin(endpoint);
    if (mayBegin) this.queue.join(endpoint);
    else this.queue.leave(endpoint);
  }

  /** Takes a slot and a token for a request. */
  private take(endpoint: EndpointId): void {
    this.limiter.take(endpoint);
    this.options.rates.take(endpoint);
  }

  private giveBack(endpoint: EndpointId): void {
    this.limiter.release(endpoint);
    this.options.rates.giveBack(endpoint);
  }

  /** No more than may be sent within a second: any dispatcher can claim the others. */
  private prefetchLimit(endpoint: EndpointId): number {
    return Math.min(this.limiter.prefetchLimit(endpoint), this.options.rates.perSecond(endpoint));
  }

  private mayClaim(endpoint: EndpointId): boolean {
    return this.backlog.has(endpoint) && !this.claiming.has(endpoint);
  }

  /** Serves the endpoint whose turn it is. There is a free slot. */
  private serve(endpoint: EndpointId): void {
    this.take(endpoint);
    const next = this.prefetched.take(endpoint);
    if (next === undefined) void this.claim(endpoint, 1);
    else void this.send(next);
    const limit = this.prefetchLimit(endpoint);
    // a buffer that is more than half full is not worth a write
    const isWorthwhile = this.prefetched.size(endpoint) * 2 <= limit && limit > 0;
    if (isWorthwhile && this.mayClaim(endpoint)) void this.claim(endpoint, 0);
  }

  /**
   * Fills the endpoint's prefetch buffer, and claims one more delivery when a slot was taken for
   * it.
   */
  private async claim(endpoint: EndpointId, slots: 0 | 1): Promise<void> {
    const room = this.prefetchLimit(endpoint) - this.prefetched.size(endpoint);
    const limit = slots + Math.max(0, room);
    this.claiming.add(endpoint);
    this.backlog.delete(endpoint);
    let claimed: readonly ClaimedDelivery[] = [];
    try {
      claimed = await this.claims.claim(endpoint, limit);
      if (claimed.length === limit) this.backlog.add(endpoint);
    } catch (error) {
      this.options.logRetry('claiming due deliveries', error);
      // the deliveries still wait in the store, where the next poll finds them
      this.duePoller.pollSoon();
    }
    this.claiming.delete(endpoint);
    if (this.running) this.prefetched.add(endpoint, claimed);
    else void this.claims.release(claimed);
    const first = slots === 1 ? this.prefetched.take(endpoint) : undefined;
    if (first !== undefined) void this.send(first);
    else if (slots === 1) this.giveBack(endpoint);
    this.schedule([endpoint]);
  }

  /**
   * Gives the quick slots of a slowed endpoint to others, and releases its prefetched deliveries
   * when it may no longer hold any.
   */
  private async slowed(endpoint: EndpointId): Promise<void> {
    this.schedule([endpoint]);
    if (this.prefetchLimit(endpoint) > 0 || this.prefetched.size(endpoint) === 0) return;
    await this.claims.release(this.prefetched.takeAllOf(endpoint));
    this.enqueue([endpoint]);
  }
}
