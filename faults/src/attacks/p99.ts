/** The latencies of one round, in milliseconds. */
export type Latencies = readonly number[];

/** The 99th percentile of the latency, alone and during an attack. */
export interface P99Comparison {
  /** In milliseconds. */
  readonly alone: number;
  readonly beside: number;
  /** `beside` divided by `alone`, each at least the floor. */
  readonly ratio: number;
}

/**
 * Compares the medians of the rounds' 99th percentiles: a stall of the machine spoils a round, but
 * not a median. A value below the floor counts as the floor: a ratio of such values would reflect
 * only the machine.
 */
export const compareP99 = (
  alone: readonly Latencies[],
  beside: readonly Latencies[],
  floorMs: number,
): P99Comparison => {
  const [before, during] = [median(alone.map(p99)), median(beside.map(p99))];
  const ratio = Math.max(during, floorMs) / Math.max(before, floorMs);
  return { alone: before, beside: during, ratio };
};

/** The 99th percentile, by nearest rank. */
export const p99 = (latencies: Latencies): number =>
  valueAtRank(latencies, Math.ceil(0.99 * latencies.length) - 1);

const median = (values: readonly number[]): number =>
  valueAtRank(values, Math.floor(values.length / 2));

const valueAtRank = (values: readonly number[], rank: number): number => {
  const value = values.toSorted((a, b) => a - b)[rank];
  if (value === undefined) throw new Error('there is nothing to compare');
  return value;
};
