import type { Bench } from './bench.js';

/**
 * One thing that is measured, beside its yardstick. To add one: write `rows/<name>.row.ts` like those that are there, and name it in `rows/index.ts`.
 */
export interface Row {
  /** What `--row` calls it. */
  readonly name: string;
  /** What is measured, in the table's words. */
  readonly title: string;
  /** What it is held against, in the table's words. */
  readonly yardstick?: string;
  readonly figures: readonly Figure[];
  /** Runs only when it is asked for by name. */
  readonly onlyByName?: boolean;
  /** Measures the distributed engines: runs with `--distributed`, or by name. */
  readonly isDistributed?: boolean;
  /** Starts what all rounds need. Whatever is handed to `bench.use` is closed after the row, in reverse order. */
  prepare(bench: Bench): Promise<Rounds>;
}

/** A figure of a row, and what is wanted of its median. */
export interface Figure {
  /** The key of the figure in what a round answers. */
  readonly name: string;
  readonly unit: '/s' | 'ms' | 'µs' | 'MB';
  readonly goals: readonly Goal[];
}

/** Of the figure itself, or of its ratio to the yardstick's figure of the same name. */
export type Goal = { readonly of: 'figure' | 'ratio' } & (
  { readonly atLeast: number } | { readonly atMost: number }
);

/** What one round came to, by the names of figures. */
export type Figures = Readonly<Record<string, number>>;

/** Measures and yardsticks alternate, so that a ratio is of neighbours in time. Both throw when an answer was wrong or anything was lost. */
export interface Rounds {
  measure(round: number): Promise<Figures>;
  yardstick?(round: number): Promise<Figures>;
  /** Checks that need all rounds. */
  finish?(): Promise<void>;
}
