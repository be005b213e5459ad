import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { count, testSeed } from '@refledger/testing';
import { drawKill } from '../src/fault-injection.js';
import { run } from '../src/run.js';
import { differencesOf } from '../src/table.js';

/** In the tenth, posting loses its checkpoint. For a longer run: npm run faults -- --rounds 100 */
const rounds = count(3, 20);

it(`after ${rounds} rounds of kills under load, everything agrees with the ledger of requests`, async () => {
  const directory = await mkdtemp(join(tmpdir(), 'refledger-faults-'));
  try {
    const result = await run({ rounds, seed: testSeed, directory, drawFaultInjection: drawKill });
    const differences = differencesOf(result.comparisons);
    if (differences.length > 0)
      throw new Error(
        `replay: npm run faults -- --rounds ${rounds} --seed ${testSeed} --keep\n${differences.join('\n')}`,
      );
  } finally {
    await rm(directory, { recursive: true, force: true });
  }
});
