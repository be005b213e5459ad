import { Posting } from '@refledger/balances';
import { embeddedUrls } from '@refledger/engines';
import { openEventLog, type EventLog } from '@refledger/event-log';
import { openReadStore } from '@refledger/read-store';
import { rateOf, sampleEvent, sampleStream } from '../event-log/sample-events.js';
import { serveParent } from '../process/child.js';
import { silentLogger } from './silent-logger.js';

/**
 * A task of the process on the log in a data directory: post what its events cause, or append this
 * many events, 64 at a time.
 */
export type AppendingQuestion = { readonly dataDir: string } & (
  { readonly kind: 'post' } | { readonly kind: 'append'; readonly count: number }
);

/** The result of appending. */
export interface Entries {
  readonly count: number;
  readonly perSecond: number;
  /** The sum of all entries in minor units, whatever their currency; 0n for other events. */
  readonly sum: bigint;
}

const run = async (question: AppendingQuestion): Promise<Entries> => {
  const { dataDir } = question;
  const log = await openEventLog(embeddedUrls.EVENT_LOG_URL, { dataDir, mode: 'write' });
  try {
    if (question.kind === 'post') return await post(log, dataDir);
    const { count } = question;
    const perSecond = await rateOf(count, 64, (n) =>
      log.append(sampleStream(), [sampleEvent(n)], 'no stream'),
    );
    return { count, perSecond, sum: 0n };
  } finally {
    await log.close();
  }
};

/** Runs the real posting with an empty store until it has handled every event. */
const post = async (log: EventLog, dataDir: string): Promise<Entries> => {
  const store = await openReadStore(embeddedUrls.READ_STORE_URL, { dataDir, mode: 'write' });
  const ending = new AbortController();
  const begin = performance.now();
  let seconds = 0;
  let count = 0;
  const posting: Posting = new Posting({
    log,
    store,
    logger: silentLogger,
    onPosted: ({ entries }) => (count += entries),
    onStatus: ({ state }) => {
      if (state !== 'live' || seconds > 0) return;
      seconds = (performance.now() - begin) / 1_000;
      ending.abort();
    },
  });
  await posting.run((batch) => posting.post(batch), ending.signal);
  await store.close();
  return { count, perSecond: count / seconds, sum: await sumOf(log) };
};

const sumOf = async (log: EventLog): Promise<bigint> => {
  let sum = 0n;
  for await (const { events } of log.readAll({ batchSize: 1_000 }))
    for (const { type, data } of events)
      // decoding boundary: entries of the log that this process has just written
      if (type === 'balance.posted') sum += BigInt((data as { amount: number }).amount);
  return sum;
};

serveParent(run);
