import { createHash } from 'node:crypto';

/**
 * Random choices from a seed (mulberry32): the same seed makes the same choices in the same order.
 */
export class Random {
  private state: number;

  constructor(readonly seed: number) {
    this.state = seed >>> 0;
  }

  /**
   * A generator for one part of the run, so that the draws of one part change nothing for another.
   */
  fork(part: string): Random {
    return new Random(createHash('sha256').update(`${this.seed}/${part}`).digest().readUInt32BE(0));
  }

  /** A number from 0 up to, but not including, 1. */
  next(): number {
    this.state = (this.state + 0x6d2b79f5) >>> 0;
    let mixed = Math.imul(this.state ^ (this.state >>> 15), this.state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 4_294_967_296;
  }

  /** A whole number from 0 up to, but not including, `end`. */
  intBelow(end: number): number {
    return Math.floor(this.next() * end);
  }

  /** A whole number from `first` up to, but not including, `end`. */
  intBetween(first: number, end: number): number {
    return first + this.intBelow(end - first);
  }

  is(probability: number): boolean {
    return this.next() < probability;
  }

  /** One of these; undefined when there are none. */
  pick<T>(from: readonly T[]): T | undefined {
    return from[this.intBelow(from.length)];
  }

  /** One of these keys, with a probability proportional to its weight. */
  weighted<K extends string>(weights: Readonly<Record<K, number>>): K {
    const entries = Object.entries(weights) as [K, number][];
    let left = this.next() * entries.reduce((sum, [, weight]) => sum + weight, 0);
    const [first] = entries[0] ?? [];
    const found = entries.find(([, weight]) => (left -= weight) < 0)?.[0] ?? first;
    if (found === undefined) throw new Error('nothing to choose from');
    return found;
  }
}
