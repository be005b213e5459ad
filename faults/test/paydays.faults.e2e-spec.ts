import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { count, testSeed } from '@refledger/testing';
import { drawKillWhilePaying } from '../src/fault-injection.js';
import { paydays } from '../src/load/paydays.js';
import { run } from '../src/run.js';
import { differencesOf } from '../src/table.js';

const rounds = count(1, 4);
const balances = 60;

it('two runs and fifty single payouts at once, killed while they pay, pay each balance once', async () => {
  const directory = await mkdtemp(join(tmpdir(), 'refledger-paydays-'));
  try {
    const { comparisons, facts } = await run({
      rounds,
      seed: testSeed,
      directory,
      load: paydays(balances),
      drawFaultInjection: drawKillWhilePaying(balances),
    });
    const differences = differencesOf(comparisons);
    if (differences.length > 0)
      throw new Error(
        `replay: npm run faults -- --rounds ${rounds} --seed ${testSeed} --balances ${balances} --keep\n${differences.join('\n')}`,
      );
    expect(facts.money.balances.map(({ payable, in_payout }) => [payable, in_payout > 0])).toEqual(
      Array(balances).fill([0, true]),
    );
  } finally {
    await rm(directory, { recursive: true, force: true });
  }
});
