import { spreadOf, type Spread } from '../figures/spread.js';
import type { Figure, Goal, Row } from '../row.js';
import type { FigureResult, MeasuredRound, RoundResult, RowResult, RowRun } from './results.js';

/** Summarizes the rounds of a row, and says whether its goals were met. */
export const rowResult = (row: Row, { seconds, rounds, notes, failure }: RowRun): RowResult => ({
  name: row.name,
  title: row.title,
  yardstick: row.yardstick ?? null,
  seconds: Math.round(seconds * 10) / 10,
  figures: rounds.length === 0 ? [] : row.figures.map((figure) => figureResult(figure, rounds)),
  notes,
  failure: failure ?? null,
});

const figureResult = (
  { name, unit, goals }: Figure,
  all: readonly MeasuredRound[],
): FigureResult => {
  const rounds = all.map((round): RoundResult => ({
    measured: figureOf(round.measured, name),
    yardstick: round.yardstick?.[name] ?? null,
  }));
  const yardsticks = rounds.flatMap(({ yardstick }) => (yardstick === null ? [] : [yardstick]));
  const ratios = rounds.flatMap(({ measured, yardstick }) =>
    yardstick === null ? [] : [measured / yardstick],
  );
  const measured = spreadOf(rounds.map((round) => round.measured));
  const ratio = ratios.length === 0 ? null : spreadOf(ratios);
  return {
    name,
    unit,
    rounds,
    measured,
    ratio,
    yardstick: yardsticks.length === 0 ? null : spreadOf(yardsticks),
    goals: goals.map((goal) => ({
      ...goal,
      met: isMet(goal, goal.of === 'figure' ? measured : ratio),
    })),
  };
};

/** Compares the median. A goal for a figure that was not measured is not met. */
const isMet = (goal: Goal, spread: Spread | null): boolean => {
  if (spread === null) return false;
  return 'atLeast' in goal ? spread.median >= goal.atLeast : spread.median <= goal.atMost;
};

const figureOf = (figures: Readonly<Record<string, number>>, name: string): number => {
  const value = figures[name];
  if (value === undefined) throw new Error(`a round lacks the figure ${name}`);
  return value;
};
