/** The range within which the limit of an endpoint adapts. */
export interface LimitRange {
  readonly floor: number;
  readonly max: number;
}

/** How many requests may be in flight to an endpoint that responds. */
export interface AdaptiveLimit {
  /** May be fractional: further successes add up to one more request. */
  readonly requests: number;
  readonly hasFailed: boolean;
}

/** What the end of a request says about the limit. */
export interface LimitEvidence {
  readonly succeeded: boolean;
  readonly durationMs: number;
  /** Whether the endpoint used its whole limit. Only then can work have waited for it. */
  readonly wasFull: boolean;
}

/** The limit of an endpoint that has nothing in flight. */
export const initialLimit = ({ floor }: LimitRange): AdaptiveLimit => ({
  requests: floor,
  hasFailed: false,
});

/**
 * The limit after a request has ended, by the rules of TCP (RFC 5681). Each success adds one, so
 * that the limit doubles per round trip, until a request fails. Each failure halves the limit.
 * After the first failure the limit rises by one per round trip, so that an endpoint that refuses
 * requests beyond its own limit has to refuse only a few.
 */
export const nextLimit = (
  limit: AdaptiveLimit,
  { succeeded, durationMs, wasFull }: LimitEvidence,
  { floor, max }: LimitRange,
): AdaptiveLimit => {
  const { requests, hasFailed } = limit;
  if (!succeeded) return { requests: Math.max(floor, requests / 2), hasFailed: true };
  if (!wasFull || durationMs >= quickMs) return limit;
  return { requests: Math.min(max, requests + (hasFailed ? 1 / requests : 1)), hasFailed };
};

/** Responses that take this long do not raise the limit: the endpoint may be overloaded. */
const quickMs = 1_000;
