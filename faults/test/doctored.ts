import { present } from '@refledger/testing/present';
import type { Facts } from '../src/facts.js';

/** A writable copy of the facts. */
export type DoctoredFacts = { -readonly [Part in keyof Facts]: Mutable<Facts[Part]> };

type Mutable<T> = T extends string | Set<string>
  ? T
  : T extends ReadonlyMap<infer K, infer V>
    ? Map<K, Mutable<V>>
    : T extends readonly (infer V)[]
      ? Mutable<V>[]
      : T extends object
        ? { -readonly [F in keyof T]: Mutable<T[F]> }
        : T;

/** The change to the facts, the claim that must then fail, and how it is done. */
export type Doctoring = readonly [string, string, (facts: DoctoredFacts) => void];

/** The delivery of one event to the endpoint that wants everything, with its key. */
export const steady = (facts: DoctoredFacts) =>
  present([...facts.receipts].find(([key]) => key.startsWith('/steady ')));
