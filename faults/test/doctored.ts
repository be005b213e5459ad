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
  if (value === undefined) throw new NothingToDoctor('no run has anything like it to doctor');
  return value;
};

/** What arrived of one event at the endpoint that wants everything, with its key. */
export const steady = (facts: Doctored) =>
  present([...facts.receipts].find(([key]) => key.startsWith('/steady ')));

/** Doctors a copy of the facts of the first run that has what `doctor` looks for. */
export const doctored = <T>(
  runs: readonly RunResult[],
  copy: (facts: Facts) => T,
  doctor: (copied: T) => void,
): T => {
  let missing: unknown;
  for (const { facts } of runs)
    try {
      const copied = copy(facts);
      doctor(copied);
      return copied;
    } catch (error) {
      if (!(error instanceof NothingToDoctor)) throw error;
      missing = error;
    }
  throw missing;
};
