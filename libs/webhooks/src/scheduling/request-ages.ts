import { latencyClasses } from './latency-classes.js';

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
