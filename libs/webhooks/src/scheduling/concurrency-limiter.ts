import type { EndpointId } from '@refledger/contracts';
import { latencyClassOf, latencyClasses } from './latency-classes.js';

export interface ConcurrencyLimits {
  /** Maximum requests in flight to one endpoint. */
  readonly perEndpoint: number;
  /**
   * Slots in total, shared among the latency classes. When an endpoint turns slow, its requests in
   * flight move to the slower class even if that class has no free slots. While those requests
   * last, more requests than `total` may be in flight, but at most twice as many. During that time
   * no endpoint gets a second request, so that it takes `total` hanging endpoints together to keep
   * others waiting.
   */
  readonly total: number;
}

/**
 * Ends a request at `now`. `responded` is undefined when nothing was sent, which says nothing about
 * the endpoint.
 */
export type EndRequest = (now: number, responded: boolean | undefined) => void;

/**
 * Limits how many requests may be in flight. Each endpoint has a limit of its own: 1 until it has
 * responded, and again while it does not respond. An endpoint takes its slots from its latency
 * class: the class of its last request, or of its oldest request in flight if that is slower. An
 * endpoint that hangs therefore gives back its slots of the quick class, and no endpoint holds a
 * quick slot for longer than a quick response takes.
 */
export class ConcurrencyLimiter {
  private readonly loads = new Map<EndpointId, Load>();
  private readonly used = latencyClasses.map(() => 0);
  private readonly sizes: readonly number[];
  /** Requests by the latency class that their age has reached, oldest first. */
  private readonly ages = latencyClasses.map(() => new Set<Request>());

  constructor(private readonly limits: ConcurrencyLimits) {
    this.sizes = latencyClasses.map(({ share }) => Math.max(1, Math.floor(limits.total * share)));
  }

  /** How many endpoints the limiter keeps state for. */
  get size(): number {
    return this.loads.size;
  }

  get inUse(): number {
    return this.used.reduce((sum, count) => sum + count, 0);
  }

  latencyClass(endpoint: EndpointId): number {
    return this.loads.get(endpoint)?.latencyClass ?? 0;
  }

  /** Whether this latency class has a free slot. */
  hasSlot(latencyClass: number): boolean {
    return (
      (this.used[latencyClass] ?? 0) < (this.sizes[latencyClass] ?? 0) &&
      this.inUse < 2 * this.limits.total
    );
  }

  /** Whether the endpoint's own limit allows one more request. */
  hasRoom(endpoint: EndpointId): boolean {
    const load = this.loads.get(endpoint);
    return (
      load === undefined ||
      load.slots.size <
        (load.responds && this.inUse <= this.limits.total ? this.limits.perEndpoint : 1)
    );
  }

  /**
   * How many deliveries may be prefetched beyond those in flight, so that the next one is at hand.
   * 0 for an endpoint that does not respond or is in the slowest class.
   */
  prefetchLimit(endpoint: EndpointId): number {
    const load = this.loads.get(endpoint);
    return load?.responds === true
      ? (latencyClasses[load.latencyClass]?.prefetch ?? 0) * this.limits.perEndpoint
      : 0;
  }

  /** Takes a slot. `begin` starts a request on it, and `release` gives it back. */
  take(endpoint: EndpointId): void {
    const load = this.loadOf(endpoint);
    const slot: Slot = { latencyClass: load.latencyClass };
    load.slots.add(slot);
    load.idle.push(slot);
    this.count(load.latencyClass, 1);
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
    this.ages[0]?.add(request);
    return (end, responded) => this.end(request, slot, end, responded);
  }

  /**
   * Moves endpoints to a slower class if one of their requests has been in flight for long enough.
   * Returns the endpoints moved.
   */
  age(now: number): ReadonlySet<EndpointId> {
    const moved = new Set<EndpointId>();
    for (const [age, { underMs }] of latencyClasses.entries()) {
      for (const request of this.ages[age] ?? []) {
        if (now - request.since < underMs) break;
        this.ages[age]?.delete(request);
        request.age = age + 1;
        this.ages[request.age]?.add(request);
        if (request.load.latencyClass >= request.age) continue;
        this.moveToClass(request.load, request.age);
        moved.add(request.endpoint);
      }
    }
    return moved;
  }

  /**
   * Milliseconds until the next request in flight reaches a slower class; undefined when none can.
   */
  nextAge(now: number): number | undefined {
    const next = Math.min(
      ...this.ages.map(([oldest], age) =>
        oldest === undefined ? Infinity : oldest.since + (latencyClasses[age]?.underMs ?? Infinity),
      ),
    );
    return next === Infinity ? undefined : Math.max(0, next - now);
  }

  private end(request: Request, slot: Slot, now: number, responded: boolean | undefined): void {
    const { load } = request;
    load.inFlight.delete(request);
    this.ages[request.age]?.delete(request);
    this.free(load, slot);
    if (responded !== undefined) {
      load.responds = responded;
      const [oldest] = load.inFlight;
      this.moveToClass(load, Math.max(latencyClassOf(now - request.since), oldest?.age ?? 0));
    }
    this.dropUnused(request.endpoint, load);
  }

  /** Drops state that equals that of a new endpoint. */
  private dropUnused(endpoint: EndpointId, load: Load): void {
    const isDefault = load.latencyClass === 0 && !load.responds;
    if (load.slots.size === 0 && (isDefault || load.isForgotten)) this.loads.delete(endpoint);
  }

  private loadOf(endpoint: EndpointId): Load {
    const known = this.loads.get(endpoint);
    if (known !== undefined) return known;
    const load: Load = {
      latencyClass: 0,
      responds: false,
      slots: new Set(),
      idle: [],
      inFlight: new Set(),
      isForgotten: false,
    };
    this.loads.set(endpoint, load);
    return load;
  }

  /**
   * Moves the endpoint's slots to a slower class. They never move to a quicker one, where each
   * would need a free slot.
   */
  private moveToClass(load: Load, latencyClass: number): void {
    load.latencyClass = latencyClass;
    for (const slot of load.slots) {
      if (slot.latencyClass >= latencyClass) continue;
      this.count(slot.latencyClass, -1);
      this.count(latencyClass, 1);
      slot.latencyClass = latencyClass;
    }
  }

  private free(load: Load, slot: Slot): void {
    load.slots.delete(slot);
    this.count(slot.latencyClass, -1);
  }

  private count(latencyClass: number, by: number): void {
    this.used[latencyClass] = (this.used[latencyClass] ?? 0) + by;
  }
}

interface Slot {
  latencyClass: number;
}

interface Request {
  readonly endpoint: EndpointId;
  readonly load: Load;
  /** When the request began, in milliseconds since 1970. */
  readonly since: number;
  /** The latency class that its age has reached. */
  age: number;
}

interface Load {
  latencyClass: number;
  responds: boolean;
  readonly slots: Set<Slot>;
  /** Slots taken for requests that have not begun. */
  readonly idle: Slot[];
  /** Oldest first. */
  readonly inFlight: Set<Request>;
  isForgotten: boolean;
}
