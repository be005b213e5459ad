/** The spread of a figure over the rounds. */
export interface Spread {
  readonly min: number;
  readonly median: number;
  readonly max: number;
}

/** Throws a RangeError when there are no values. */
export const spreadOf = (values: readonly number[]): Spread => {
  const sorted = [...values].sort((a, b) => a - b);
  return {
    min: valueAt(sorted, 0),
    median: medianOf(sorted),
    max: valueAt(sorted, sorted.length - 1),
  };
};

/**
 * The smallest value that at least this percentage of all values do not exceed (nearest rank).
 * Throws a RangeError when there are no values.
 */
export const percentileOf = (values: readonly number[], percent: number): number => {
  const sorted = [...values].sort((a, b) => a - b);
  return valueAt(sorted, Math.max(0, Math.ceil((percent / 100) * sorted.length) - 1));
};

const medianOf = (sorted: readonly number[]): number => {
  const middle = sorted.length >>> 1;
  return sorted.length % 2 === 1
    ? valueAt(sorted, middle)
    : (valueAt(sorted, middle - 1) + valueAt(sorted, middle)) / 2;
};

const valueAt = (values: readonly number[], index: number): number => {
  const value = values[index];
  if (value === undefined) throw new RangeError('no values');
  return value;
};
