import type { Bench } from './bench.js';
import type { Row } from './row.js';
import type { MeasuredRound, RowRun } from './report/results.js';

/** Measures a row, round after round. A failure ends the row and is part of its result. */
export const runRow = async (
  row: Row,
  bench: Bench,
  onStep: (what: string) => void,
): Promise<RowRun> => {
  const begin = performance.now();
  const rounds: MeasuredRound[] = [];
  let failure: string | undefined;
  try {
    onStep(`${row.name}: preparing`);
    const prepared = await row.prepare(bench);
    for (let round = 1; round <= bench.rounds; round++) {
      onStep(`${row.name}: round ${round} of ${bench.rounds}`);
      // the order alternates from round to round, so that neither has an advantage
      const early = round % 2 === 0 ? await prepared.yardstick?.(round) : undefined;
      const measured = await prepared.measure(round);
      rounds.push({ measured, yardstick: early ?? (await prepared.yardstick?.(round)) });
    }
    await prepared.finish?.();
  } catch (error) {
    failure = reported(error);
  }
  await bench.close().catch((error: unknown) => (failure ??= reported(error)));
  return {
    seconds: (performance.now() - begin) / 1_000,
    rounds,
    notes: bench.drainNotes(),
    failure,
  };
};

const reported = (error: unknown): string =>
  error instanceof Error ? (error.stack ?? error.message) : String(error);
