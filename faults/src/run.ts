import { mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import { eventually, type MovableClock, Random } from '@refledger/testing';
import { Client } from './client.js';
import { compare } from './compare/compare.js';
import type { Comparison } from './compare/comparison.js';
import { compareDelivered } from './compare/delivered.js';
import {
  factsOf,
  readDeliveries,
  readEvents,
  readEverything,
  readHistory,
  type Facts,
  type RecordedRun,
  type RoundReport,
} from './facts.js';
import { injectFault, killsOf, startAgain, type FaultInjection } from './fault-injection.js';
import { historyOf } from './history.js';
import { Ledger, readLedger } from './ledger.js';
import type { Writing } from './load/act.js';
import { KnownRecords } from './load/known-records.js';
import { randomLoad, type Load } from './load/load.js';
import { clearUp } from './load/writers.js';
import { readMoney } from './read-money.js';
import { readReplays } from './read-replays.js';
import { startReceivers, type Receivers } from './receivers.js';
import { SettledBalances } from './settled-balances.js';
import { standaloneSubject, type Subject } from './subject.js';
import { readFinished } from './unfinished.js';

export interface RunOptions {
  readonly rounds: number;
  readonly seed: number;
  /** Holds the service's directory, the ledger and the receipts. */
  readonly directory: string;
  /** Draws the fault of a round; rounds are numbered from 1. */
  readonly drawFaultInjection: (random: Random, round: number) => FaultInjection;
  /** Default: eight writers that choose at random what they do. */
  readonly load?: Load;
  /** Starts what the faults are injected into. Default: the standalone service. */
  readonly startSubject?: () => Promise<Subject>;
  /** Called after each round. */
  readonly onRound?: (round: number, injection: FaultInjection) => void;
  /** Ends the run after the current round; the rounds until then are compared. */
  readonly signal?: AbortSignal;
  /** Rounds may move this clock. Without one, the service uses the true time. */
  readonly clock?: MovableClock;
  /**
   * False if balances are compared only at the end of the run. While a clock is behind the log,
   * posting waits for it, so that they cannot be compared.
   */
  readonly compareEach?: boolean;
}

export interface RunResult {
  readonly recorded: RecordedRun;
  readonly facts: Facts;
  readonly comparisons: readonly Comparison[];
}

/**
 * Runs rounds of load and injected faults over one service and one directory, and finally compares
 * everything with the ledger.
 */
export const run = async (options: RunOptions): Promise<RunResult> => {
  const { seed, directory, clock, load = randomLoad() } = options;
  const { startSubject = () => standaloneSubject(dataDir, clock?.env) } = options;
  const random = new Random(seed);
  const dataDir = join(directory, 'data');
  await mkdir(dataDir, { recursive: true });
  const ledger = new Ledger(join(directory, 'ledger.jsonl'));
  const receivers = await startReceivers({
    random: random.fork('receivers'),
    file: join(directory, 'receipts.jsonl'),
    oneClock: clock === undefined,
  });
  const subject = await startSubject();
  const { service } = subject;
  const client = new Client(service.baseUrl, service.adminKey, ledger);
  const writing: Writing = { client, known: new KnownRecords(), random, receiver: receivers.url };
  try {
    await load.begin(writing);
    const rounds = await runRounds({ writing, subject, ledger, load }, options);
    while (writing.known.unsettled.length > 0) await clearUp(writing);
    await load.end?.(writing);
    receivers.calm();
    await readFinished(subject);
    await everythingDelivered(subject, receivers, await readLedger(ledger.path));
    await nothingDue(subject);
    const { history, ...read } = await readAll(client, subject);
    const replays = await readReplays(client, history);
    await subject.end();
    const recorded: RecordedRun = {
      ...read,
      rounds,
      replays,
      entries: await readLedger(ledger.path),
      receipts: receivers.receipts.all,
      deliveries: await deliveriesOf(subject, history),
      verified: {
        ledger: await subject.verify('ledger'),
        webhooks: await subject.verify('webhooks'),
      },
    };
    const facts = factsOf(recorded);
    return { recorded, facts, comparisons: compare(facts) };
  } finally {
    await subject.close();
    await client.close();
    await receivers.close();
    ledger.close();
  }
};

interface LoadRun {
  readonly writing: Writing;
  readonly subject: Subject;
  readonly ledger: Ledger;
  readonly load: Load;
}

const runRounds = async (
  { writing, subject, ledger, load }: LoadRun,
  { rounds, drawFaultInjection, onRound, clock, signal, compareEach }: RunOptions,
): Promise<readonly RoundReport[]> => {
  const reports: RoundReport[] = [];
  const settled = new SettledBalances({ client: writing.client, subject, ledger });
  for (let round = 1; round <= rounds && signal?.aborted !== true; round++) {
    const own = writing.random.fork(`round ${round}`);
    const injection = drawFaultInjection(own, round);
    ledger.note({ round, injection });
    const writers = await load.start({ ...writing, random: own });
    await injectFault(injection, { subject, clock });
    await writers.stop();
    const loss = 'loses' in injection ? injection.loses : undefined;
    if (loss !== undefined) await subject.lose(loss);
    await startAgain(injection, subject);
    reports.push({
      kills: killsOf(injection),
      isCheckpointLost: loss !== undefined,
      differences: compareEach === false ? undefined : await settled.compare(),
    });
    onRound?.(round, injection);
  }
  return reports;
};

/** Reads the log, and then everything that the API shows of it. */
const readAll = async (client: Client, subject: Subject) => {
  const events = await readEvents(subject);
  const history = historyOf(events);
  return {
    events,
    history,
    responses: await readEverything(client, history),
    money: await readMoney(client, history.position),
  };
};

/**
 * Waits until everything that must arrive has arrived. Gives up after a minute in which nothing
 * arrived; the comparison then reports what is missing.
 */
const everythingDelivered = async (
  subject: Subject,
  { receipts }: Receivers,
  entries: Facts['entries'],
): Promise<void> => {
  const history = await readHistory(subject);
  for (let before = -1; receipts.all.size > before;) {
    before = receipts.all.size;
    const missing = (): void => {
      const deliveries = new Map<string, never>();
      const facts = { entries, history, receipts: receipts.all, deliveries };
      const { differences } = compareDelivered(facts);
      if (differences.some((difference) => difference.endsWith('never arrived')))
        throw new Error('not yet');
    };
    await eventually(missing, { timeoutMs: 60_000, intervalMs: 250 }).then(
      () => (before = Infinity),
      () => undefined,
    );
  }
};

/**
 * Waits until no delivery is waiting: one that arrived, but whose outcome was lost in a kill, is
 * attempted again. Gives up after a minute; the comparison then reports it.
 */
const nothingDue = async (subject: Subject): Promise<void> => {
  const poll = async (): Promise<void> => {
    if (await subject.isAnyDue()) throw new Error('not yet');
  };
  await eventually(poll, { timeoutMs: 60_000, intervalMs: 250 }).catch(() => undefined);
};

const deliveriesOf = async (
  subject: Subject,
  { expectedDeliveries }: Facts['history'],
): Promise<Facts['deliveries']> => {
  const store = await subject.openDeliveries();
  try {
    return await readDeliveries(
      store,
      new Set(expectedDeliveries.map(({ endpointId }) => endpointId)),
    );
  } finally {
    await store.close();
  }
};
