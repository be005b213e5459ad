export interface LatencyClass {
  /** An endpoint of this latency class answers, or gives up, sooner than this. */
  readonly underMs: number;
  /** Its part of all slots. */
  readonly share: number;
  /** How many deliveries an endpoint may have prefetched, for each request that it may have in flight. */
  readonly prefetch: number;
}

/** How quickly endpoints answer, from quick to slow. Those of a latency class share slots of their own, so that none waits for a slower one. */
export const latencyClasses: readonly [LatencyClass, ...LatencyClass[]] = [
  { underMs: 250, share: 1 / 2, prefetch: 16 },
  { underMs: 2_500, share: 1 / 4, prefetch: 2 },
  { underMs: Infinity, share: 1 / 4, prefetch: 0 },
];

/** The latency class of a request that took, or has taken so far, this long: an index of `latencyClasses`. */
export const latencyClassOf = (ms: number): number =>
  latencyClasses.findIndex(({ underMs }) => ms < underMs);
