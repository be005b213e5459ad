import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { requireServers } from '@refledger/testing/servers';
import { Command, InvalidArgumentError, Option } from 'commander';
import { twoLedgersSubject } from './distributed-subject.js';
import { drawKill, drawKillWhilePaying } from './fault-injection.js';
import { paydays } from './load/paydays.js';
import { newProgress } from './progress.js';
import { writeRun } from './recorded-run.js';
import { run } from './run.js';
import { differencesOf, tableOf } from './table.js';

const count = (text: string): number => {
  if (!/^[1-9]\d{0,8}$/.test(text))
    throw new InvalidArgumentError('It must be a whole number, at least 1.');
  return Number(text);
};

/** Sums of money become decimal strings. */
const asJson = (result: object): string =>
  JSON.stringify(
    result,
    (_, value: unknown) => (typeof value === 'bigint' ? `${value}` : value),
    2,
  );

const print = (line: string): void => void process.stdout.write(`${line}\n`);

interface Options {
  readonly rounds: number;
  readonly seed: number;
  readonly ledgers: number;
  readonly balances?: number;
  readonly keep?: boolean;
  readonly json?: string;
  readonly record?: string;
}

/** How the rounds pay this many balances. The kill comes while they do. */
const payingRounds = (balances: number) => ({
  load: paydays(balances),
  drawFaultInjection: drawKillWhilePaying(balances),
});

const faults = async (options: Options): Promise<void> => {
  const { rounds, seed, ledgers, balances, keep = false, json, record } = options;
  const directory = await mkdtemp(join(tmpdir(), 'refledger-faults-'));
  print(`seed ${seed}; ledger in ${join(directory, 'ledger.jsonl')}`);
  const started = performance.now();
  const ending = new AbortController();
  process.once('SIGINT', () => ending.abort());
  let done = 0;
  const progress = newProgress(rounds, process.stdout.isTTY, print);
  const { comparisons, recorded } = await run({
    rounds,
    seed,
    directory,
    drawFaultInjection: drawKill,
    ...(balances !== undefined && payingRounds(balances)),
    ...(ledgers === 2 && { startSubject: () => twoLedgersSubject(requireServers('MongoDB')) }),
    signal: ending.signal,
    onRound: (round, injection) => {
      done = round;
      progress.step(injection.kind);
    },
  }).finally(() => progress.end());
  if (record !== undefined) writeRun(record, recorded);
  const differences = differencesOf(comparisons);
  print(
    `\n${done} rounds in ${Math.round((performance.now() - started) / 1_000)} s, seed ${seed}\n\n${tableOf(comparisons)}\n`,
  );
  if (json !== undefined) await writeFile(json, `${asJson({ rounds: done, seed, comparisons })}\n`);
  if (differences.length === 0 && !keep) await rm(directory, { recursive: true, force: true });
  else print(`kept: ${directory}`);
  if (differences.length === 0) return;
  process.stderr.write(
    `\n${differences.join('\n')}\nreplay: npm run faults -- --rounds ${rounds} --seed ${seed} --ledgers ${ledgers}${balances === undefined ? '' : ` --balances ${balances}`} --keep\n`,
  );
  process.exitCode = 1;
};

await new Command('faults')
  .description(
    'Kills the service under load repeatedly, and compares its data with a ledger of what it acknowledged. Ctrl-C ends it after the current round.',
  )
  .option('--rounds <n>', 'the number of kills', count, 20)
  .option(
    '--seed <n>',
    'repeat the random choices of an earlier run; the timing still varies',
    count,
    1 + Math.floor(Math.random() * 999_999),
  )
  .addOption(
    new Option(
      '--ledgers <n>',
      '2: several services over EventStoreDB and MongoDB, with a second ledger that stands by',
    )
      .choices(['1', '2'])
      .default(1)
      .argParser(Number),
  )
  .option(
    '--balances <n>',
    'in each round, pay this many balances with two runs and fifty single payouts at once',
    count,
  )
  .option('--keep', "keep the service's directory, the ledger and the receipts")
  .option('--json <file>', 'also write the result to this file, as JSON')
  .option('--record <file>', 'write what was compared to this file, for test/doctored.spec.ts')
  .action(faults)
  .parseAsync();
