import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { run } from '../src/run.js';
import { differencesOf } from '../src/table.js';

const seed = 1;
/**
 * Milliseconds. The first is longer than the lease of a delivery (30 s), the longest time limit in
 * the service.
 */
const pauses = [31_000, 200];

it('a service that is suspended under load recovers: every request is answered, and everything agrees with the ledger', async () => {
  const directory = await mkdtemp(join(tmpdir(), 'refledger-pauses-'));
  try {
    const { comparisons, facts } = await run({
      rounds: pauses.length + 1,
      seed,
      directory,
      // the last round only checks that the service continues
      drawFaultInjection: (_random, round) => ({
        kind: 'paused',
        afterMs: 1_000,
        pauseMs: pauses[round - 1] ?? 0,
      }),
    });
    expect(differencesOf(comparisons)).toEqual([]);
    expect(facts.entries.filter(({ outcome }) => outcome?.report === 'unknown')).toEqual([]);
  } finally {
    await rm(directory, { recursive: true, force: true });
  }
});
