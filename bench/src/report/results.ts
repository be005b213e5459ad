import type { Spread } from '../figures/spread.js';
import type { Figures, Goal } from '../row.js';

/** The result of a run. `bench/results/schema.json` describes it for other languages. */
export interface Results {
  readonly format: 1;
  readonly started_at: string;
  readonly finished_at: string;
  readonly rounds: number;
  /** Small sets and short rounds: the figures mean nothing. */
  readonly quick: boolean;
  readonly machine: Machine;
  readonly rows: readonly RowResult[];
}

export interface Machine {
  readonly cpu: string;
  readonly cores: number;
  readonly memory_mb: number;
  readonly platform: string;
  readonly node: string;
  readonly commit: string;
  /** Whether files differed from the commit. */
  readonly dirty: boolean;
  /**
   * Processes that wanted a core, on average over the minute before the run: near 0 on a quiet
   * machine.
   */
  readonly load_before: number;
}

/** The result of one row, with all its rounds. */
export interface RowResult {
  readonly name: string;
  readonly title: string;
  readonly yardstick: string | null;
  readonly seconds: number;
  readonly figures: readonly FigureResult[];
  readonly notes: readonly string[];
  /** The failure of the row, if any; the figures are then of the rounds before it. */
  readonly failure: string | null;
}

/** One figure of a row over all rounds. */
export interface FigureResult {
  readonly name: string;
  readonly unit: string;
  readonly rounds: readonly RoundResult[];
  readonly measured: Spread;
  readonly yardstick: Spread | null;
  /** Measured divided by yardstick, of the same round. */
  readonly ratio: Spread | null;
  readonly goals: readonly GoalResult[];
}

export interface RoundResult {
  readonly measured: number;
  readonly yardstick: number | null;
}

export type GoalResult = Goal & { readonly met: boolean };

/** The figures of one round of a row. */
export interface MeasuredRound {
  readonly measured: Figures;
  readonly yardstick: Figures | undefined;
}

/** The measurements of `runRow`, before they are summarized. */
export interface RowRun {
  readonly seconds: number;
  readonly rounds: readonly MeasuredRound[];
  readonly notes: readonly string[];
  readonly failure: string | undefined;
}
