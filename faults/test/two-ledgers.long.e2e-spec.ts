import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { testSeed } from '@refledger/testing';
import { describeWithServers } from '@refledger/testing/servers';
import { twoLedgersSubject } from '../src/distributed-subject.js';
import { drawKill } from '../src/fault-injection.js';
import { run } from '../src/run.js';
import { differencesOf } from '../src/table.js';

/**
 * In the tenth, posting loses its checkpoint. For more: npm run faults -- --rounds 20 --ledgers 2
 */
const rounds = 10;

describeWithServers(['MongoDB'], 'two ledgers, killed in turn under load', (servers) => {
  it(`after ${rounds} rounds everything agrees with the ledger of requests`, async () => {
    const directory = await mkdtemp(join(tmpdir(), 'refledger-faults-'));
    try {
      const { comparisons } = await run({
        rounds,
        seed: testSeed,
        directory,
        drawFaultInjection: drawKill,
        // everything is compared at the end: the substitute for MongoDB reads slowly
        compareEach: false,
        startSubject: () => twoLedgersSubject(servers),
      });
      expect(differencesOf(comparisons)).toEqual([]);
      const afterRounds = comparisons.find(({ figures }) => 'checkpoints lost' in figures);
      expect(afterRounds?.figures['checkpoints lost']).toBeGreaterThan(0);
    } finally {
      await rm(directory, { recursive: true, force: true });
    }
  });
});
