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
