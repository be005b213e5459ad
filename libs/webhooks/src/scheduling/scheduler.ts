import type { EndpointId } from '@refledger/contracts';
import type { ClaimableFrom, ClaimedDelivery } from '@refledger/delivery-store';
import type { EndpointDirectory } from '@refledger/webhook-endpoints';
import type { EndpointTracker } from '../endpoint-tracker.js';
import type { AttemptSender } from '../sending/attempt-sender.js';
import { Backlog } from './backlog.js';
import type { Claims } from './claims.js';
import type { DuePoller } from './due-poller.js';
import type { FairQueue } from './fair-queue.js';
import type { InFlight } from './in-flight.js';
import type { OutcomeWriter } from './outcome-writer.js';
import type { RequestWatch } from './request-watch.js';

export interface SchedulerOptions {
  /** Finds what is due. */
  readonly duePoller: DuePoller;
  /** Finds what the API requested. */
  readonly requests: RequestWatch;
  /** Knows whose turn it is. */
  readonly queue: FairQueue;
  /** Knows how many requests there may be, and how fast they may begin. */
  readonly inFlight: InFlight;
  /** Knows what this dispatcher holds. */
  readonly claims: Claims;
  readonly attempts: Pick<AttemptSender, 'send'>;
  readonly outcomes: Pick<OutcomeWriter, 'record' | 'isBehind'>;
  readonly directory: Pick<EndpointDirectory, 'latest'>;
  readonly tracker: Pick<EndpointTracker, 'recheck' | 'cancelLeft'>;
  readonly logRetry: (what: string, error: unknown) => void;
}

/** Room for one delivery that is being planned. */
export interface Reservation {
  /** Uses the room for this delivery, which is stored as `sending`. */
  use(delivery: ClaimedDelivery): void;
  release(): void;
}

/**
 * Decides which delivery is attempted when. Deliveries that wait or are held stay in the store;
 * memory has only the requests in flight, a few deliveries prefetched for endpoints that respond
 * quickly, and the set of endpoints with more work. An endpoint with work queues for a slot. With
 * the slot it gets a prefetched delivery, or one is claimed with a lease. Held deliveries of an
 * endpoint go after all others, and those of replays after these, both at the catch-up rate.
 */
export class Scheduler {
  private readonly due: Backlog;
  /** In the order in which the deliveries of an endpoint go. */
  private readonly backlogs: readonly Backlog[];
  private running = false;

  constructor(private readonly options: SchedulerOptions) {
    const { duePoller, requests, inFlight, claims, directory } = options;
    const backlog = (from: ClaimableFrom) => new Backlog(from, claims, directory);
    this.due = backlog('waiting');
    this.backlogs = [this.due, backlog('held'), backlog('replay')];
    duePoller.on('found', (endpoints, from) => this.found(endpoints, from));
    requests.on('found', (endpoints, from) => this.found(endpoints, from));
    inFlight.on('slowed', (endpoint) => void this.slowed(endpoint));
    inFlight.on('again', (endpoint) => this.schedule([endpoint]));
  }

  get inFlight(): number {
    return this.options.inFlight.count;
  }

  /** Begins to send due deliveries, including those that other dispatchers lost. */
  begin(): void {
    if (this.running) return;
    const { claims, duePoller, requests } = this.options;
    this.running = true;
    for (const part of [claims, duePoller, requests]) part.begin();
  }

  /** Starts no more requests and releases prefetched deliveries. Requests in flight continue. */
  halt(): void {
    const { claims, duePoller, requests } = this.options;
    this.running = false;
    for (const part of [claims, duePoller, requests]) part.halt();
    for (const backlog of this.backlogs) void backlog.release();
  }

  /** Resolves once nothing is in flight and every outcome is written. */
  settled(): Promise<void> {
    return this.options.claims.settled();
  }

  /**
   * Reserves room for one more delivery of this endpoint: a slot, or room to prefetch it. Undefined
   * when there is none, while the scheduler is halted or outcomes are behind, or while deliveries
   * of the endpoint wait in the store, since those go first.
   */
  reserve(endpoint: EndpointId): Reservation | undefined {
    const { due } = this;
    const { inFlight, outcomes } = this.options;
    if (!this.running || outcomes.isBehind || due.has(endpoint)) return undefined;
    if (due.prefetchedOf(endpoint) === 0 && inFlight.mayTake(endpoint, due.pace)) {
      inFlight.take(endpoint, due.pace);
      return {
        use: (delivery) => void this.send(delivery),
        release: () => {
          inFlight.release(endpoint, due.pace);
          this.schedule([endpoint]);
        },
      };
    }
    if (!due.reserve(endpoint, inFlight.prefetchLimit(endpoint, due.pace))) return undefined;
    return {
      use: (delivery) => {
        due.unreserve(endpoint);
        this.prefetch(endpoint, delivery);
      },
      release: () => due.unreserve(endpoint),
    };
  }

  /** Records that these endpoints have deliveries in the store, by default due ones. */
  enqueue(endpoints: Iterable<EndpointId>, from: ClaimableFrom = 'waiting'): void {
    const all = [...endpoints];
    const backlog = this.backlogs.find((one) => one.from === from);
    for (const endpoint of all) backlog?.add(endpoint);
    this.schedule(all);
  }

  /**
   * Queues each of these endpoints, or removes it from the queue, by its current state. Then gives
   * out the free slots, unless outcomes are behind. Does nothing while halted: the first poll after
   * that finds what is due.
   */
  private schedule(endpoints: Iterable<EndpointId>): void {
    if (!this.running) return;
    for (const endpoint of endpoints) this.requeue(endpoint);
    while (this.running && !this.options.outcomes.isBehind) {
      const next = this.options.queue.next();
      if (next === undefined) return;
      this.serve(next);
      this.requeue(next);
    }
  }

  private requeue(endpoint: EndpointId): void {
    const { queue, inFlight } = this.options;
    const mayBegin = inFlight.hasRoom(endpoint) && this.backlogOf(endpoint) !== undefined;
    if (mayBegin) queue.join(endpoint);
    else queue.leave(endpoint);
  }

  /** The backlog of the endpoint's next request; undefined if none may begin now. */
  private backlogOf(endpoint: EndpointId): Backlog | undefined {
    const { inFlight } = this.options;
    return this.backlogs.find(
      (backlog) => backlog.isReady(endpoint) && inFlight.hasToken(endpoint, backlog.pace),
    );
  }

  /** Serves the endpoint whose turn it is. There is a free slot. */
  private serve(endpoint: EndpointId): void {
    const { inFlight } = this.options;
    const backlog = this.backlogOf(endpoint);
    if (backlog === undefined) return;
    inFlight.take(endpoint, backlog.pace);
    const next = backlog.take(endpoint);
    if (next === undefined) void this.claim(backlog, endpoint, 1);
    else void this.send(next);
    const limit = inFlight.prefetchLimit(endpoint, backlog.pace);
    // prefetching is not worth a write while more than half of the room is used
    const isWorthwhile = backlog.prefetchedOf(endpoint) * 2 <= limit && limit > 0;
    if (isWorthwhile && backlog.mayClaim(endpoint)) void this.claim(backlog, endpoint, 0);
  }

  /**
   * Prefetches as many deliveries of the endpoint as there is room for, and claims one more when a
   * slot was taken for it.
   */
  private async claim(backlog: Backlog, endpoint: EndpointId, slots: 0 | 1): Promise<void> {
    const { inFlight, claims, duePoller, logRetry } = this.options;
    const { from, pace } = backlog;
    const room = inFlight.prefetchLimit(endpoint, pace) - backlog.prefetchedOf(endpoint);
    let claimed: readonly ClaimedDelivery[] = [];
    try {
      claimed = await backlog.claim(endpoint, slots + Math.max(0, room));
    } catch (error) {
      logRetry(`claiming ${from} deliveries`, error);
      // they are still in the store, where the next poll finds them
      duePoller.pollSoon();
    }
    if (this.running) backlog.prefetch(endpoint, claimed);
    else void claims.release(claimed, from);
    const first = slots === 1 ? backlog.take(endpoint) : undefined;
    if (first !== undefined) void this.send(first);
    else if (slots === 1) inFlight.release(endpoint, pace);
    this.schedule([endpoint]);
  }

  /** Sends a delivery that has its slot and is stored as `sending`, and records its outcome. */
  private async send(delivery: ClaimedDelivery): Promise<void> {
    const { claims, inFlight, attempts, outcomes, duePoller, tracker } = this.options;
    const { endpointId, id } = delivery;
    claims.add(id);
    const end = inFlight.begin(endpointId);
    const attempted = await attempts.send(delivery);
    end(attempted);
    const recorded = outcomes.record(delivery, attempted);
    this.schedule([endpointId]);
    await recorded;
    // the first request after outcomes were behind begins here
    this.schedule([]);
    const { next } = attempted.result;
    if (next.status === 'waiting') duePoller.expect(next.dueAt);
    if (next.status === 'held') this.enqueue([endpointId], 'held');
    // the endpoint may have changed while the outcome was being written
    if (next.status === 'waiting' || next.status === 'held')
      await tracker.recheck([delivery], next.status);
    claims.end(id);
  }

  /** Enqueues endpoints with deliveries, and cancels those that will never be claimed and judged. */
  private found(endpoints: readonly EndpointId[], from: ClaimableFrom): void {
    this.enqueue(endpoints, from);
    if (from !== 'waiting') void this.options.tracker.cancelLeft(endpoints);
  }

  /** Keeps a delivery until its turn, or releases it when the scheduler is halted. */
  private prefetch(endpoint: EndpointId, delivery: ClaimedDelivery): void {
    const { claims, inFlight } = this.options;
    claims.add(delivery.id);
    if (!this.running) return void claims.release([delivery]);
    this.due.prefetch(endpoint, [delivery]);
    if (inFlight.prefetchLimit(endpoint, this.due.pace) === 0) void this.slowed(endpoint);
    else this.schedule([endpoint]);
  }

  /**
   * Gives the quick slots of a slowed endpoint to others, and releases its prefetched deliveries
   * when it may no longer hold any.
   */
  private async slowed(endpoint: EndpointId): Promise<void> {
    this.schedule([endpoint]);
    for (const backlog of this.backlogs) {
      const limit = this.options.inFlight.prefetchLimit(endpoint, backlog.pace);
      if (limit > 0 || backlog.prefetchedOf(endpoint) === 0) continue;
      await backlog.release([endpoint]);
      this.enqueue([endpoint], backlog.from);
    }
  }
}
