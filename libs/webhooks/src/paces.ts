export interface Pace {
  /** An endpoint of this pace answers, or gives up, sooner than this. */
  readonly underMs: number;
  /** Its part of all slots. */
  readonly share: number;
  /** How many deliveries an endpoint may have taken ahead, for each request that it may have under way. */
  readonly ahead: number;
}

/** How quickly endpoints answer, from quick to slow. Those of a pace share slots of their own, so that none waits for a slower one. */
export const paces: readonly [Pace, ...Pace[]] = [
  { underMs: 250, share: 1 / 2, ahead: 16 },
  { underMs: 2_500, share: 1 / 4, ahead: 2 },
  { underMs: Infinity, share: 1 / 4, ahead: 0 },
];

/** The pace of a request that took, or has taken so far, this long: an index of `paces`. */
export const paceOf = (ms: number): number => paces.findIndex(({ underMs }) => ms < underMs);
