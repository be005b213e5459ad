import type { EndpointId } from '@refledger/contracts';
import type { ClaimableFrom, ClaimedDelivery } from '@refledger/delivery-store';
import type { ReplayStore, SchedulerStore } from '@refledger/delivery-store';
import type { AttemptReporter } from './attempt-reporter.js';
import { Claims, type ClaimsOptions } from './claims.js';
import { DuePoller, type DuePollerOptions } from './due-poller.js';
import { FairQueue, type FairQueueOptions } from './fair-queue.js';
import { InFlight, type InFlightOptions } from './in-flight.js';
import type { EndpointDirectory } from '@refledger/webhook-endpoints';
import type { EndpointTracker } from '../endpoint-tracker.js';
import type { OutcomeWriter } from './outcome-writer.js';
import { catchUpBacklog, dueBacklog, type Backlog } from './backlog.js';
import type { Reservation } from './reservation.js';
import { RequestWatch } from './request-watch.js';
import { Permits, type PermitsOptions } from './permits.js';

export interface SchedulerOptions
  extends
    Pick<FairQueueOptions, 'accountOf'>,
    Pick<InFlightOptions, 'attempts'>,
    PermitsOptions,
    Pick<ClaimsOptions, 'bodies'>,
    Pick<DuePollerOptions, 'holder' | 'newLease' | 'leaseMs' | 'clock' | 'logRetry'> {
  readonly store: SchedulerStore & Pick<ReplayStore, 'endpointsReplaying'>;
  readonly directory: Pick<EndpointDirectory, 'followTo' | 'latest'>;
  readonly tracker: Pick<EndpointTracker, 'recheck' | 'cancelLeft'>;
  readonly outcomes: Pick<OutcomeWriter, 'add'>;
  readonly reporter: Pick<AttemptReporter, 'report'>;
}

/**
 * Decides which delivery is attempted when. Deliveries that wait or are held stay in the store;
 * memory has only the requests in flight, a few deliveries prefetched for endpoints that respond
 * quickly, and the set of endpoints with more work. An endpoint with work queues for a slot. With
 * the slot it gets a prefetched delivery, or one is claimed with a lease. Held deliveries of an
 * endpoint go after all others, and those of replays after these, both at the catch-up rate.
 */
export class Scheduler {
  private readonly permits: Permits;
  private readonly queue: FairQueue;
  private readonly claims: Claims;
  private readonly due: Backlog;
  /** In the order in which the deliveries of an endpoint go. */
  private readonly backlogs: readonly Backlog[];
  private readonly duePoller: DuePoller;
  private readonly requests: RequestWatch;
  private readonly inFlightRequests: InFlight;
  private running = false;

  constructor(private readonly options: SchedulerOptions) {
    this.permits = new Permits(options);
    this.queue = new FairQueue(options);
    this.claims = new Claims(options);
    this.due = dueBacklog(this.claims);
    const { directory } = options;
    this.backlogs = [
      this.due,
      catchUpBacklog('held', this.claims, directory),
      catchUpBacklog('replay', this.claims, directory),
    ];
    this.duePoller = new DuePoller({ ...options, claims: this.claims });
    this.duePoller.on('found', (endpoints, from) => this.found(endpoints, from));
    this.requests = new RequestWatch({ ...options, claims: this.claims });
    this.requests.on('found', (endpoints, from) => this.found(endpoints, from));
    this.inFlightRequests = new InFlight(options);
    this.inFlightRequests.on('slowed', (endpoint) => void this.slowed(endpoint));
    options.rates.on('again', (endpoint) => this.schedule([endpoint]));
  }

  get inFlight(): number {
    return this.permits.inUse;
  }

  /** Begins to send due deliveries, including those that other dispatchers lost. */
  begin(): void {
    if (this.running) return;
    this.running = true;
    this.claims.begin();
    this.duePoller.begin();
    this.requests.begin();
  }

  /** Starts no more requests and releases prefetched deliveries. Requests in flight continue. */
  halt(): void {
    this.running = false;
    this.claims.halt();
    this.duePoller.halt();
    this.requests.halt();
    for (const backlog of this.backlogs)
      void this.claims.release(backlog.prefetched.takeAll(), backlog.from);
  }

  /**
   * Reserves room for one more delivery of this endpoint: a slot, or room in its prefetch buffer.
   * Undefined when there is none, while the scheduler is halted, or while deliveries of the endpoint
   * wait in the store, since those go first.
   */
  reserve(endpoint: EndpointId): Reservation | undefined {
    const { permits, due } = this;
    if (!this.running || due.has(endpoint)) return undefined;
    const { prefetched, pace } = due;
    if (prefetched.size(endpoint) === 0 && permits.mayTake(endpoint, pace)) {
      permits.take(endpoint, pace);
      return {
        use: (delivery) => void this.send(delivery),
        release: () => {
          permits.giveBack(endpoint, pace);
          this.schedule([endpoint]);
        },
      };
    }
    if (!prefetched.reserve(endpoint, permits.prefetchLimit(endpoint, pace))) return undefined;
    return {
      use: (delivery) => {
        prefetched.unreserve(endpoint);
        this.prefetch(endpoint, delivery);
      },
      release: () => prefetched.unreserve(endpoint),
    };
  }

  /** Records that these endpoints have deliveries in the store, by default due ones. */
  enqueue(endpoints: Iterable<EndpointId>, from: ClaimableFrom = 'waiting'): void {
    const all = [...endpoints];
    const backlog = this.backlogs.find((one) => one.from === from);
    for (const endpoint of all) backlog?.add(endpoint);
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
    if (next.status === 'held') this.enqueue([endpointId], 'held');
    // the endpoint may have changed while the outcome was being written
    if (next.status === 'waiting' || next.status === 'held')
      await this.options.tracker.recheck([delivery], next.status);
    this.claims.end(id);
  }

  /** Enqueues endpoints with deliveries, and cancels those that will never be claimed and judged. */
  private found(endpoints: readonly EndpointId[], from: ClaimableFrom): void {
    this.enqueue(endpoints, from);
    if (from !== 'waiting') void this.options.tracker.cancelLeft(endpoints);
  }

  /** Keeps a delivery until its turn, or releases it when the scheduler is halted. */
  private prefetch(endpoint: EndpointId, delivery: ClaimedDelivery): void {
    this.claims.add(delivery.id);
    if (!this.running) return void this.claims.release([delivery]);
    this.due.prefetched.add(endpoint, [delivery]);
    if (this.permits.prefetchLimit(endpoint, this.due.pace) === 0) void this.slowed(endpoint);
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
    const mayBegin = this.permits.hasRoom(endpoint) && this.backlogOf(endpoint) !== undefined;
    if (mayBegin) this.queue.join(endpoint);
    else this.queue.leave(endpoint);
  }

  /** The backlog of the endpoint's next request; undefined if none may begin now. */
  private backlogOf(endpoint: EndpointId): Backlog | undefined {
    return this.backlogs.find(
      (backlog) => backlog.isReady(endpoint) && this.permits.hasToken(endpoint, backlog.pace),
    );
  }

  /** Serves the endpoint whose turn it is. There is a free slot. */
  private serve(endpoint: EndpointId): void {
    const backlog = this.backlogOf(endpoint);
    if (backlog === undefined) return;
    this.permits.take(endpoint, backlog.pace);
    const next = backlog.prefetched.take(endpoint);
    if (next === undefined) void this.claim(backlog, endpoint, 1);
    else void this.send(next);
    const limit = this.permits.prefetchLimit(endpoint, backlog.pace);
    // a buffer that is more than half full is not worth a write
    const isWorthwhile = backlog.prefetched.size(endpoint) * 2 <= limit && limit > 0;
    if (isWorthwhile && backlog.mayClaim(endpoint)) void this.claim(backlog, endpoint, 0);
  }

  /**
   * Fills the endpoint's prefetch buffer, and claims one more delivery when a slot was taken for
   * it.
   */
  private async claim(backlog: Backlog, endpoint: EndpointId, slots: 0 | 1): Promise<void> {
    const { prefetched, from, pace } = backlog;
    const room = this.permits.prefetchLimit(endpoint, pace) - prefetched.size(endpoint);
    let claimed: readonly ClaimedDelivery[] = [];
    try {
      claimed = await backlog.claim(endpoint, slots + Math.max(0, room));
    } catch (error) {
      this.options.logRetry(`claiming ${from} deliveries`, error);
      // they are still in the store, where the next poll finds them
      this.duePoller.pollSoon();
    }
    if (this.running) prefetched.add(endpoint, claimed);
    else void this.claims.release(claimed, from);
    const first = slots === 1 ? prefetched.take(endpoint) : undefined;
    if (first !== undefined) void this.send(first);
    else if (slots === 1) this.permits.giveBack(endpoint, pace);
    this.schedule([endpoint]);
  }

  /**
   * Gives the quick slots of a slowed endpoint to others, and releases its prefetched deliveries
   * when it may no longer hold any.
   */
  private async slowed(endpoint: EndpointId): Promise<void> {
    this.schedule([endpoint]);
    for (const backlog of this.backlogs) {
      const { prefetched, from, pace } = backlog;
      if (this.permits.prefetchLimit(endpoint, pace) > 0 || prefetched.size(endpoint) === 0)
        continue;
      await this.claims.release(prefetched.takeAllOf(endpoint), from);
      this.enqueue([endpoint], from);
    }
  }
}
