import type { Facts } from '../src/facts.js';
import type { RunResult } from '../src/run.js';

/** A writable copy of the facts. */
export type Doctored = { -readonly [Part in keyof Facts]: Mutable<Facts[Part]> };

type Mutable<T> = T extends string | Set<string>
  ? T
  : T extends ReadonlyMap<infer K, infer V>
    ? Map<K, Mutable<V>>
    : T extends readonly (infer V)[]
      ? Mutable<V>[]
      : T extends object
        ? { -readonly [F in keyof T]: Mutable<T[F]> }
        : T;

class NothingToDoctor extends Error {}

/** The value to doctor. Throws if the run produced none. */
export const present = <T>(value: T | undefined): T => {
  if (value === undefined) throw new NothingToDoctor('this run has nothing like it to doctor');
  return value;
};

/** What arrived of one event at the endpoint that wants everything, with its key. */
export const steady = (facts: Doctored) =>
  present([...facts.receipts].find(([key]) => key.startsWith('/steady ')));

/** Runs whose facts can be doctored. */
export interface Runs {
  readonly results: readonly RunResult[];
  /** Makes one more run. False if there have been enough. */
  more(): Promise<boolean>;
}

/**
 * Doctors a copy of the facts of the first run that has what `doctor` looks for. What happens in a
 * run depends on chance: makes more runs if none has it.
 */
export const doctored = async <T>(
  runs: Runs,
  copy: (facts: Facts) => T,
  doctor: (copied: T) => void,
): Promise<T> => {
  for (let n = 0; ; n++) {
    const result = runs.results[n] ?? (await nextOf(runs));
    try {
      const copied = copy(result.facts);
      doctor(copied);
      return copied;
    } catch (error) {
      if (!(error instanceof NothingToDoctor)) throw error;
    }
  }
};

const nextOf = async (runs: Runs): Promise<RunResult> => {
  if (!(await runs.more())) throw new Error('no run has anything like it to doctor');
  return present(runs.results.at(-1));
};
