/// <reference types="jest" />

const isFull = process.env['TEST_COUNTS'] === 'full';

/** `few` of something, or `full` in `npm run test:long` (TEST_COUNTS=full). */
export const count = (few: number, full: number): number => (isFull ? full : few);

/** These values in `npm run test:long`, and none otherwise. */
export const inFull = <T>(...values: readonly T[]): readonly T[] => (isFull ? values : []);

/**
 * Whether to compare times, memory and CPU with limits: only in `npm run test:long`, since other runs
 * share the machine with anything.
 */
export const comparesFigures = isFull;

/** A test of `npm run test:long` alone, since it waits for sessions and leases to end. */
export const itInFull = (title: string, test: () => Promise<void>): void => {
  if (isFull) it(title, test);
};
