/**
 * How many durations fell into each bucket of a fixed, log-spaced scale, by bucket. Buckets without
 * any are absent. Histograms add up bucket by bucket.
 */
export type Histogram = Readonly<Record<string, number>>;

/**
 * The bucket of a duration in milliseconds. Bucket 0 has those below 1 ms, and each other bucket
 * the durations from a power of 1.1 up to the next. The last one, from 75 years, has all that are
 * longer, so a histogram has at most 301 buckets.
 */
export const bucketOf = (ms: number): number =>
  ms >= 1 ? Math.min(1 + Math.floor(Math.log(ms) / Math.log(ratio)), lastBucket) : 0;

/**
 * The shortest duration that this fraction of the durations does not exceed. The fraction is above
 * 0 and at most 1: 0.95 is p95. In whole milliseconds, and within 10% of the exact one: its bucket's
 * geometric mean is within 5%, which below 10 ms rounds to the only whole number in the bucket.
 * Undefined if the histogram is empty.
 */
export const quantile = (histogram: Histogram, fraction: number): number | undefined => {
  const buckets = Object.entries(histogram)
    .map(([bucket, count]) => ({ bucket: Number(bucket), count }))
    .sort((one, other) => one.bucket - other.bucket);
  const rank = Math.ceil(fraction * buckets.reduce((sum, { count }) => sum + count, 0));
  let counted = 0;
  for (const { bucket, count } of buckets) {
    counted += count;
    if (counted >= rank) return Math.round(meanOf(bucket));
  }
  return undefined;
};

const ratio = 1.1;
const lastBucket = 300;

const meanOf = (bucket: number): number => (bucket === 0 ? 0 : ratio ** (bucket - 0.5));
