import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { Command, InvalidArgumentError } from 'commander';
import pc from 'picocolors';
import { Bench } from './bench.js';
import { chooseRows } from './choose-rows.js';
import { thisMachine } from './report/machine.js';
import { newProgress } from './report/progress.js';
import type { Results, RowResult } from './report/results.js';
import { rowResult } from './report/row-result.js';
import { tableOf } from './report/table.js';
import type { Row } from './row.js';
import { rows } from './rows/index.js';
import { runRow } from './run-row.js';

interface Options {
  readonly row: readonly string[];
  readonly rounds: number;
  readonly quick: boolean;
  readonly list: boolean;
  readonly distributed: boolean;
  readonly data: string;
  readonly results: string;
}

/**
 * Reads the command line, measures, and prints the table. Resolves to the exit code: 0; 1 when
 * anything was lost or wrong, whether or not goals were met; 130 when a signal ended the run, in
 * which case the table has the rows measured so far.
 */
export const runProgram = async (argv: readonly string[]): Promise<number> => {
  const command = new Command('bench')
    .description('Measures the service, and compares each figure with a yardstick.')
    .option(
      '--row <name>',
      'measure only this row (repeatable)',
      (name: string, before: readonly string[]) => [...before, name],
      [],
    )
    .option('--rounds <count>', 'how many times to measure each row', countOf, 3)
    .option(
      '--quick',
      'small data sets and short rounds that only test the benchmark; the figures mean nothing',
      false,
    )
    .option('--distributed', 'measure the rows of EventStoreDB, MongoDB and Kafka instead', false)
    .option('--list', 'list the rows', false)
    .option(
      '--data <directory>',
      'the directory for data sets and services; use a disk',
      inBench('.data'),
    )
    .option(
      '--results <directory>',
      'the directory for the results, as a JSON file',
      inBench('results'),
    )
    .parse(argv);
  const options = command.opts<Options>();
  if (options.list) {
    process.stdout.write(
      rows
        .map(
          ({ name, title, onlyByName, isDistributed }) =>
            `${name.padEnd(30)}${title}${onlyByName === true ? ' (only by name)' : ''}${isDistributed === true ? ' (--distributed)' : ''}\n`,
        )
        .join(''),
    );
    return 0;
  }
  const { results, isComplete } = await measure(
    chooseRows(rows, options.row, options.distributed),
    options,
  );
  process.stdout.write(
    `${tableOf(results, pc.createColors(process.stdout.isTTY === true && pc.isColorSupported))}\n`,
  );
  if (!isComplete) return 130;
  process.stdout.write(`${write(results, options.results)}\n`);
  return results.rows.every(({ failure }) => failure === null) ? 0 : 1;
};

/**
 * Measures the rows. A run that a signal ended is incomplete, and lacks the row that it was
 * measuring.
 */
const measure = async (
  chosen: readonly Row[],
  { data: dataDir, quick, rounds }: Options,
): Promise<{ readonly results: Results; readonly isComplete: boolean }> => {
  const machine = thisMachine();
  const started_at = new Date().toISOString();
  const progress = newProgress(chosen.length * (rounds + 1));
  const bench = new Bench({ dataDir, quick, rounds, report: (line) => progress.report(line) });
  for (const signal of ['SIGINT', 'SIGTERM'] as const)
    process.once(signal, () => bench.interrupt());
  const measured: RowResult[] = [];
  for (const row of chosen) {
    const run = await runRow(row, bench, (what) => progress.step(what));
    if (bench.isInterrupted) break;
    measured.push(rowResult(row, run));
  }
  progress.stop();
  const results: Results = {
    format: 1,
    started_at,
    finished_at: new Date().toISOString(),
    rounds,
    quick,
    machine,
    rows: measured,
  };
  return { results, isComplete: !bench.isInterrupted };
};

/** Writes the results and returns the path of the file. */
const write = (results: Results, directory: string): string => {
  mkdirSync(directory, { recursive: true });
  const { commit, dirty } = results.machine;
  const file = join(
    directory,
    `${results.started_at.slice(0, 16).replace(':', '')}-${commit}${dirty ? '-dirty' : ''}${results.quick ? '-quick' : ''}.json`,
  );
  writeFileSync(file, `${JSON.stringify(results, undefined, 2)}\n`);
  return file;
};

const countOf = (text: string): number => {
  const count = Number(text);
  if (!Number.isInteger(count) || count < 1)
    throw new InvalidArgumentError('It must be a whole number, at least 1.');
  return count;
};

const inBench = (name: string): string => fileURLToPath(new URL(`../${name}`, import.meta.url));
