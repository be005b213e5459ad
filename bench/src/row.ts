import type { Bench } from './bench.js';

/**
 * One measurement, beside its yardstick. To add one, write `rows/<name>.row.ts` like the others and
 * list it in `rows/index.ts`.
 */
export interface Row {
  /** The name for `--row`. */
  readonly name: string;
  /** The measured operation, as the table shows it. */
  readonly title: string;
  /** The yardstick of the row, as the table shows it. */
  readonly yardstick?: string;
  readonly figures: readonly Figure[];
  /** Runs only when requested by name. */
  readonly onlyByName?: boolean;
  /** Measures the distributed engines: runs with `--distributed`, or by name. */
  readonly isDistributed?: boolean;
  /**
   * Starts what all rounds need. Anything passed to `bench.use` is closed after the row, in reverse
   * order.
   */
  prepare(bench: Bench): Promise<Rounds>;
}

/** A figure of a row, and the goals for its median. */
export interface Figure {
  /** The key of the figure in the result of a round. */
  readonly name: string;
  readonly unit: '/s' | 'ms' | 'µs' | 'B' | 'MB';
  readonly goals: readonly Goal[];
}

/** A goal for the figure itself, or for its ratio to the yardstick's figure of the same name. */
export type Goal = { readonly of: 'figure' | 'ratio' } & (
  { readonly atLeast: number } | { readonly atMost: number }
);

/** The results of one round, by the names of figures. */
export type Figures = Readonly<Record<string, number>>;

/**
 * Measures and yardsticks alternate, so that a ratio compares neighbors in time. Both throw when a
 * response was wrong or anything was lost.
 */
export interface Rounds {
  measure(round: number): Promise<Figures>;
  yardstick?(round: number): Promise<Figures>;
  /** Runs the checks that need all rounds. */
  finish?(): Promise<void>;
}
