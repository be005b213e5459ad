/** A bucket's rate, and how many milliseconds' worth of tokens it holds. */
export interface BucketSize {
  /** Milliseconds per token. */
  readonly intervalMs: number;
  readonly burstMs: number;
}

/** Tokens that were taken from a bucket. */
export interface Tokens {
  readonly taken: number;
  /** Milliseconds until the bucket has another token; 0 if it has one now. */
  readonly nextInMs: number;
}

/**
 * The size of a bucket that gives `perSecond` tokens: it holds those of a fifth of a second, but at
 * least one. So no second has more than 1.2 times `perSecond` tokens, or `perSecond` plus one.
 */
export const bucketSize = (perSecond: number): BucketSize => {
  const intervalMs = 1_000 / perSecond;
  return { intervalMs, burstMs: Math.max(200, intervalMs) };
};

/**
 * Takes every token of a bucket. A bucket is stored as the instant at which it is full again (in
 * milliseconds since 1970), so that a full one need not be stored.
 */
export const takeAll = (
  fullAt: number,
  now: number,
  { intervalMs, burstMs }: BucketSize,
): { readonly tokens: Tokens; readonly fullAt: number } => {
  // `fullAt` is later than that only after the clock was put back
  const missingMs = Math.min(Math.max(fullAt - now, 0), burstMs);
  const taken = Math.floor((burstMs - missingMs) / intervalMs);
  return {
    tokens: { taken, nextInMs: nextIn(missingMs + taken * intervalMs, { intervalMs, burstMs }) },
    fullAt: now + missingMs + taken * intervalMs,
  };
};

/** Milliseconds until a bucket that lacks this many milliseconds' worth of tokens has one. */
export const nextIn = (missingMs: number, { intervalMs, burstMs }: BucketSize): number =>
  Math.max(0, missingMs + intervalMs - burstMs);
