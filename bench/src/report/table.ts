import Table from 'cli-table3';
import type { Colors } from 'picocolors/types.js';
import type { Spread } from '../figures/spread.js';
import type { FigureResult, GoalResult, Results, RowResult } from './results.js';

/** The results as a table for a terminal: medians, with the minimum and maximum of the rounds. */
export const tableOf = ({ rows }: Pick<Results, 'rows'>, colors: Colors): string => {
  const table = new Table({
    head: ['what', 'figure', 'measured', 'yardstick', 'ratio', 'goal', ''],
    style: { head: [], border: [] },
  });
  for (const row of rows) {
    if (row.failure !== null)
      table.push([
        `${row.title}\n${colors.dim(row.name)}`,
        { colSpan: 6, content: colors.red(`failed: ${firstLine(row.failure)}`) },
      ]);
    for (const [index, figure] of row.figures.entries())
      table.push([
        ...(index === 0 ? [{ rowSpan: row.figures.length, content: whatOf(row, colors) }] : []),
        ...cellsOf(figure, colors),
      ]);
  }
  const notes = rows.flatMap(({ name, notes: ofRow }) => ofRow.map((note) => `${name}: ${note}`));
  return [table.toString(), ...notes].join('\n');
};

const whatOf = ({ name, title, yardstick, seconds }: RowResult, { dim }: Colors): string =>
  [
    title,
    ...(yardstick === null ? [] : [dim(`against ${yardstick}`)]),
    dim(`${name}, ${Math.round(seconds)} s`),
  ].join('\n');

const cellsOf = (
  { name, unit, measured, yardstick, ratio, goals }: FigureResult,
  colors: Colors,
): string[] => [
  `${name}${unit === '/s' ? '' : ' '}${unit}`,
  shown(measured),
  yardstick === null ? '' : shown(yardstick),
  ratio === null ? '' : shown(ratio),
  goals.map(wordsOf).join('\n'),
  goals.map(({ met }) => (met ? colors.green('met') : colors.red('NOT MET'))).join('\n'),
];

const wordsOf = (goal: GoalResult): string => {
  const what = goal.of === 'ratio' ? 'ratio ' : '';
  return 'atLeast' in goal ? `${what}≥ ${number(goal.atLeast)}` : `${what}≤ ${number(goal.atMost)}`;
};

const shown = ({ min, median, max }: Spread): string =>
  `${number(median)}\n${number(min)} – ${number(max)}`;

/** Three significant digits, or all before the decimal point. */
export const number = (value: number): string => {
  const digits = Math.abs(value) >= 100 ? 0 : Math.abs(value) >= 10 ? 1 : 2;
  return value
    .toFixed(digits)
    .replace(/\B(?=(\d{3})+$)/g, value.toFixed(digits).includes('.') ? '' : ',');
};

const firstLine = (text: string): string => text.split('\n')[0] ?? '';
