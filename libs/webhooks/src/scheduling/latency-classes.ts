/**
 * How quickly an endpoint responds, and the share of slots and prefetched deliveries that this
 * gives it.
 */
export interface LatencyClass {
  /** An endpoint of this class responds or fails in less than this, in milliseconds. */
  readonly underMs: number;
  /** The fraction of all slots that belongs to this class. */
  readonly share: number;
  /**
   * How many deliveries an endpoint may have prefetched per request of its lowest limit. Above it,
   * each further request allows one more, except in a class that prefetches nothing.
   */
  readonly prefetch: number;
}

/**
 * The latency classes, from quick to slow. Each class has slots of its own, so that no endpoint
 * waits for a slower one.
 */
export const latencyClasses: readonly [LatencyClass, ...LatencyClass[]] = [
  { underMs: 250, share: 1 / 2, prefetch: 16 },
  { underMs: 2_500, share: 1 / 4, prefetch: 2 },
  { underMs: Infinity, share: 1 / 4, prefetch: 0 },
];

/**
 * The latency class, as an index of `latencyClasses`, of a request that has taken this long so far.
 */
export const latencyClassOf = (ms: number): number =>
  latencyClasses.findIndex(({ underMs }) => ms < underMs);

/** A request in flight that grows older. */
export interface AgingRequest {
  /** When the request began, in milliseconds since 1970. */
  readonly since: number;
  /** The latency class that its age has reached. */
  age: number;
}

/** The requests in flight, by the latency class that their age has reached. */
export class RequestAges<R extends AgingRequest> {
  /** Per latency class, oldest first. */
  private readonly ages = latencyClasses.map(() => new Set<R>());

  add(request: R): void {
    this.ages[request.age]?.add(request);
  }

  delete(request: R): void {
    this.ages[request.age]?.delete(request);
  }

  /** Updates the ages, and returns the requests that have reached a slower class. */
  advance(now: number): ReadonlySet<R> {
    const advanced = new Set<R>();
    for (const [age, { underMs }] of latencyClasses.entries()) {
      for (const request of this.ages[age] ?? []) {
        if (now - request.since < underMs) break;
        this.delete(request);
        request.age = age + 1;
        this.add(request);
        advanced.add(request);
      }
    }
    return advanced;
  }

  /** Milliseconds until the next request reaches a slower class; undefined when none can. */
  next(now: number): number | undefined {
    const next = Math.min(
      ...this.ages.map(([oldest], age) =>
        oldest === undefined ? Infinity : oldest.since + (latencyClasses[age]?.underMs ?? Infinity),
      ),
    );
    return next === Infinity ? undefined : Math.max(0, next - now);
  }
}
