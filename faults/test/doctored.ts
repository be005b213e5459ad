import type { Facts } from '../src/facts.js';

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

/** The value to doctor. Throws if the run produced none. */
export const present = <T>(value: T | undefined): T => {
  if (value === undefined) throw new Error('the run has nothing like it to doctor');
  return value;
};
