import type { AffiliateStatsRecord } from '@refledger/contracts';
import { openEventLog, type EventLog } from '@refledger/event-log';
import { openReadStore, type Build, type ReadStore } from '@refledger/read-store';
import {
  affiliateStatsProjection,
  Projector,
  statsFromDocument,
  projections,
} from '@refledger/projections';
import { serveParent } from '../process/child.js';
import { silentLogger } from './silent-logger.js';

/** An engine by its URL, and the data directory for `sqlite:`. */
export interface EngineAddress {
  readonly url: string;
  readonly dataDir: string;
}

/** A task of the process: read a whole log, or build all read models from it. */
export type RebuildQuestion =
  | { readonly kind: 'scan'; readonly log: EngineAddress }
  | { readonly kind: 'rebuild'; readonly log: EngineAddress; readonly store: EngineAddress };

/** The result of a scan or a rebuild. */
export interface RebuildResult {
  readonly events: number;
  readonly seconds: number;
  /** The sums of all affiliates' statistics, by currency and status; empty for a scan. */
  readonly sums: Readonly<Record<string, Readonly<Record<string, bigint>>>>;
}

const run = async (question: RebuildQuestion): Promise<RebuildResult> => {
  const { url, dataDir } = question.log;
  const log = await openEventLog(url, { dataDir, mode: 'read', deadlineMs: 60_000 });
  try {
    return question.kind === 'scan' ? await scan(log) : await rebuild(log, question.store);
  } finally {
    await log.close();
  }
};

/** Reads every event, in batches of the projector's size, and does nothing with them. */
const scan = async (log: EventLog): Promise<RebuildResult> => {
  const begin = performance.now();
  let events = 0;
  for await (const batch of log.readAll({ batchSize: 1_000 })) events += batch.events.length;
  return { events, seconds: (performance.now() - begin) / 1_000, sums: {} };
};

/** Runs the real projector over an empty store until every projection is live. */
const rebuild = async (log: EventLog, { url, dataDir }: EngineAddress): Promise<RebuildResult> => {
  const store = await openReadStore(url, { dataDir, mode: 'write' });
  const ending = new AbortController();
  const begin = performance.now();
  let seconds = 0;
  const projector: Projector = new Projector({
    log,
    store,
    projections,
    logger: silentLogger,
    onStatus: ({ state, building }) => {
      if (state !== 'live' || building !== undefined || seconds > 0) return;
      seconds = (performance.now() - begin) / 1_000;
      ending.abort();
    },
  });
  let events = 0;
  await projector.run(async (batch) => {
    await batch.apply();
    events += batch.events.length;
  }, ending.signal);
  const sums = await sumsOf(store);
  await store.close();
  return { events, seconds, sums };
};

const sumsOf = async (store: ReadStore): Promise<RebuildResult['sums']> => {
  const sums: Record<string, Record<string, bigint>> = {};
  for (const build of await store.builds(affiliateStatsProjection.name))
    for await (const stats of statsIn(store, build)) addStats(sums, stats);
  return sums;
};

async function* statsIn(store: ReadStore, build: Build): AsyncGenerator<AffiliateStatsRecord> {
  if (build.state !== 'live' || build.checkpoint === undefined)
    throw new Error('a projection was not built');
  const { position } = build.checkpoint;
  for await (const { documents } of store.scan(build, affiliateStatsProjection.name)) {
    for (const { document } of documents)
      if (document !== null) yield statsFromDocument(document, position);
  }
}

const addStats = (
  sums: Record<string, Record<string, bigint>>,
  { currencies }: AffiliateStatsRecord,
): void => {
  for (const { currency, sale_amount } of currencies) {
    const ofCurrency = (sums[currency] ??= {});
    for (const [status, amount] of Object.entries(sale_amount))
      ofCurrency[status] = (ofCurrency[status] ?? 0n) + amount;
  }
};

serveParent(run);
