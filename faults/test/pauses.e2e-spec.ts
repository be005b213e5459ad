import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { run } from '../src/run.js';
import { differencesOf } from '../src/table.js';

const seed = 1;
/** Longer than the lease of a delivery, which is the longest time limit inside: 30 s. */
const pauses = [31_000, 200];

it('a service that is held still under load goes on: everything is answered, and all is as the ledger says', async () => {
  const folder = await mkdtemp(join(tmpdir(), 'refledger-pauses-'));
  try {
    const { comparisons, facts } = await run({
      rounds: pauses.length + 1,
      seed,
      folder,
      // the last one only looks whether all goes on
      drawFaultInjection: (_random, round) => ({
        kind: 'paused',
        afterMs: 1_000,
        pauseMs: pauses[round - 1] ?? 0,
      }),
    });
    expect(differencesOf(comparisons)).toEqual([]);
    expect(facts.entries.filter(({ outcome }) => outcome?.report === 'unknown')).toEqual([]);
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}, 240_000);
