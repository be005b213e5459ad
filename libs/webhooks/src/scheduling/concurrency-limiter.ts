import type { EndpointId } from '@refledger/contracts';
import { initialLimit, nextLimit, type AdaptiveLimit, type LimitRange } from './adaptive-limit.js';
import {
  latencyClassOf,
  latencyClasses,
  RequestAges,
  type AgingRequest,
} from './latency-classes.js';
import { SlotPool, type Slot } from './slot-pool.js';

export interface ConcurrencyLimits {
  /**
   * Maximum requests in flight to one endpoint (WEBHOOK_MAX_IN_FLIGHT_PER_ENDPOINT). The limit of
   * an endpoint adapts within a range from 8 (or this maximum, if that is lower) to this maximum.
   */
  readonly perEndpoint: number;
  /**
   * Slots in total (WEBHOOK_MAX_IN_FLIGHT), shared among the latency classes. When an endpoint
   * turns slow, its requests in flight move to the slower class even if that class has no free
   * slots, and those beyond its floor count in no class. While those requests last, more requests
   * than `total` may be in flight, but at most twice as many. While the classes are overfull, no
   * endpoint gets a second request, so that it takes `total` hanging endpoints together to keep
   * others waiting.
   */
  readonly total: number;
}

/**
 * How a request ended: with a response of success or failure, or with none in time. Undefined when
 * nothing was sent, which says nothing about the endpoint.
 */
export type RequestEnding = 'succeeded' | 'failed' | 'silent' | undefined;

/** Ends a request at `now`. */
export type EndRequest = (now: number, ending: RequestEnding) => void;

/**
 * Limits how many requests may be in flight. Each endpoint has a limit of its own: 1 until it has
 * responded, and again while it does not respond; otherwise one that adapts. An endpoint takes its
 * slots from its latency class: the class of its last request, or of its oldest request in flight
 * if that is slower. An endpoint that hangs therefore gives back its slots of the quick class, and
 * no endpoint holds a quick slot for longer than a quick response takes.
 */
export class ConcurrencyLimiter {
  private readonly loads = new Map<EndpointId, Load>();
  private readonly pool: SlotPool;
  private readonly range: LimitRange;
  private readonly ages = new RequestAges<Request>();

  constructor({ perEndpoint, total }: ConcurrencyLimits) {
    this.pool = new SlotPool(total);
    this.range = { floor: Math.min(floor, perEndpoint), max: perEndpoint };
  }

  /** How many endpoints the limiter keeps state for. */
  get size(): number {
    return this.loads.size;
  }

  get inUse(): number {
    return this.pool.inUse;
  }

  latencyClass(endpoint: EndpointId): number {
    return this.loads.get(endpoint)?.latencyClass ?? 0;
  }

  /** Whether the endpoint's next request takes a spare slot, since it uses its floor already. */
  needsSpare(endpoint: EndpointId): boolean {
    return (this.loads.get(endpoint)?.slots.size ?? 0) >= this.range.floor;
  }

  /** Whether this latency class has a free slot. */
  hasSlot(latencyClass: number, of?: { readonly isSpare: boolean }): boolean {
    return this.pool.hasSlot(latencyClass, of);
  }

  /** Whether the endpoint's own limit allows one more request. */
  hasRoom(endpoint: EndpointId): boolean {
    const load = this.loads.get(endpoint);
    return load === undefined || load.slots.size < this.limitOf(load);
  }

  /** Whether the endpoint may take a slot now. */
  mayTake(endpoint: EndpointId): boolean {
    const isSpare = this.needsSpare(endpoint);
    return this.hasRoom(endpoint) && this.hasSlot(this.latencyClass(endpoint), { isSpare });
  }

  /**
   * How many deliveries may be prefetched beyond those in flight, so that the next one is at hand.
   * 0 for an endpoint that does not respond or is in the slowest class.
   */
  prefetchLimit(endpoint: EndpointId): number {
    const load = this.loads.get(endpoint);
    if (load?.responds !== true) return 0;
    const prefetch = latencyClasses[load.latencyClass]?.prefetch ?? 0;
    const { floor } = this.range;
    return prefetch * floor + Math.min(prefetch, 1) * (Math.floor(load.limit.requests) - floor);
  }

  /** Takes a slot. `begin` starts a request on it, and `release` gives it back. */
  take(endpoint: EndpointId): void {
    const load = this.loadOf(endpoint);
    const slot = this.pool.take(load.latencyClass);
    load.slots.add(slot);
    load.idle.push(slot);
  }

  release(endpoint: EndpointId): void {
    const load = this.loadOf(endpoint);
    const slot = load.idle.pop();
    if (slot !== undefined) this.free(load, slot);
    this.dropUnused(endpoint, load);
  }

  /** Drops the state of an unsubscribed endpoint once its requests have ended. */
  forget(endpoint: EndpointId): void {
    const load = this.loads.get(endpoint);
    if (load === undefined) return;
    load.isForgotten = true;
    this.dropUnused(endpoint, load);
  }

  /** Begins a request on a slot that was taken for it. */
  begin(endpoint: EndpointId, now: number): EndRequest {
    const load = this.loadOf(endpoint);
    const slot = load.idle.pop();
    if (slot === undefined) throw new Error('no slot was acquired for this request');
    const request: Request = { load, endpoint, since: now, age: 0 };
    load.inFlight.add(request);
    this.ages.add(request);
    return (end, ending) => this.end(request, slot, end, ending);
  }

  /**
   * Moves endpoints to a slower class if one of their requests has been in flight for long enough.
   * Returns the endpoints moved.
   */
  age(now: number): ReadonlySet<EndpointId> {
    const moved = new Set<EndpointId>();
    for (const { load, endpoint, age } of this.ages.advance(now)) {
      if (load.latencyClass >= age) continue;
      this.moveToClass(load, age);
      moved.add(endpoint);
    }
    return moved;
  }

  /**
   * Milliseconds until the next request in flight reaches a slower class; undefined when none can.
   */
  nextAge(now: number): number | undefined {
    return this.ages.next(now);
  }

  private limitOf({ responds, limit }: Load): number {
    return responds && !this.pool.isOverfull ? Math.floor(limit.requests) : 1;
  }

  private end(request: Request, slot: Slot, now: number, ending: RequestEnding): void {
    const { load } = request;
    const wasFull = load.slots.size >= Math.floor(load.limit.requests);
    load.inFlight.delete(request);
    this.ages.delete(request);
    this.free(load, slot);
    if (ending !== undefined) {
      const durationMs = now - request.since;
      const succeeded = ending === 'succeeded';
      load.responds = ending !== 'silent';
      load.limit = nextLimit(load.limit, { succeeded, durationMs, wasFull }, this.range);
      const [oldest] = load.inFlight;
      this.moveToClass(load, Math.max(latencyClassOf(durationMs), oldest?.age ?? 0));
    }
    this.dropUnused(request.endpoint, load);
  }

  /**
   * Begins again with the initial limit once nothing is in flight, since what the endpoint can
   * handle may have changed by its next request. Drops state that equals that of a new endpoint.
   */
  private dropUnused(endpoint: EndpointId, load: Load): void {
    if (load.slots.size > 0) return;
    load.limit = initialLimit(this.range);
    const isDefault = load.latencyClass === 0 && !load.responds;
    if (isDefault || load.isForgotten) this.loads.delete(endpoint);
  }

  private loadOf(endpoint: EndpointId): Load {
    const known = this.loads.get(endpoint);
    if (known !== undefined) return known;
    const load: Load = {
      latencyClass: 0,
      responds: false,
      limit: initialLimit(this.range),
      slots: new Set(),
      idle: [],
      inFlight: new Set(),
      isForgotten: false,
    };
    this.loads.set(endpoint, load);
    return load;
  }

  /**
   * Moves the endpoint's slots to a slower class, but no more than its floor. The others count in
   * no class any more, so that an endpoint that turns slow takes few slots from those that are slow
   * already. Slots never move to a quicker class, where each would need a free slot.
   */
  private moveToClass(load: Load, latencyClass: number): void {
    load.latencyClass = latencyClass;
    const quicker = [...load.slots].filter(
      (slot) => slot.latencyClass !== undefined && slot.latencyClass < latencyClass,
    );
    for (const [n, slot] of quicker.entries())
      this.pool.move(slot, n < this.range.floor ? latencyClass : undefined);
  }

  private free(load: Load, slot: Slot): void {
    load.slots.delete(slot);
    this.pool.free(slot);
  }
}

/** The lowest limit of an endpoint that responds: no other endpoint can take this from it. */
const floor = 8;

interface Request extends AgingRequest {
  readonly endpoint: EndpointId;
  readonly load: Load;
}

interface Load {
  latencyClass: number;
  responds: boolean;
  limit: AdaptiveLimit;
  readonly slots: Set<Slot>;
  /** Slots taken for requests that have not begun. */
  readonly idle: Slot[];
  /** Oldest first. */
  readonly inFlight: Set<Request>;
  isForgotten: boolean;
}
