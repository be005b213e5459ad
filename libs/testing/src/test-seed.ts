import { randomInt } from 'node:crypto';

/**
 * The seed of everything random in a test file: 1, so that every run is the same. TEST_SEED names
 * another one; with TEST_SEED=random (`npm run test:long`) it is drawn, so a failure must print it.
 */
export const testSeed: number =
  process.env['TEST_SEED'] === 'random'
    ? randomInt(1, 1_000_000)
    : Number(process.env['TEST_SEED'] ?? 1);
