import type { AffiliateStatsRecord } from '@refledger/contracts';
import { openKeyReaderOfLog } from '@refledger/application';
import { openEventLog, type EventLog } from '@refledger/event-log';
import { newSearchTerms } from '@refledger/personal-data';
import { openReadStore, type Build, type ReadStore } from '@refledger/read-store';
import {
  affiliateSearch,
  affiliateStatsProjection,
  allProjections,
  Projector,
  statsFromDocument,
  projections,
  type MakeTerms,
} from '@refledger/projections';
import { openSecretBox } from '@refledger/sealing';
import { secretsKeyIn } from '../data-set/data-set-keys.js';
import { serveParent } from '../process/child.js';
import { silentLogger } from './silent-logger.js';

/** An engine by its URL, and the data directory for `sqlite:`. */
export interface EngineAddress {
  readonly url: string;
  readonly dataDir: string;
}

/** A task of the process: read a whole log, or build all read models from it. */
export type RebuildQuestion = { readonly kind: 'scan'; readonly log: EngineAddress } | Rebuild;

export interface Rebuild {
  readonly kind: 'rebuild';
  readonly log: EngineAddress;
  readonly store: EngineAddress;
  /** The key store for the terms of `affiliate_search`, which is not built without one. */
  readonly search?: EngineAddress | undefined;
}

/** The result of a scan or a rebuild. */
export interface RebuildResult {
  readonly events: number;
  readonly seconds: number;
  /** The sums of all affiliates' statistics, by currency and status; empty for a scan. */
  readonly sums: Readonly<Record<string, Readonly<Record<string, bigint>>>>;
  /** How many affiliates `affiliate_search` has. */
  readonly searchable: number;
}

const run = async (question: RebuildQuestion): Promise<RebuildResult> => {
  const { url, dataDir } = question.log;
  const log = await openEventLog(url, { dataDir, mode: 'read', deadlineMs: 60_000 });
  try {
    return question.kind === 'scan' ? await scan(log) : await rebuild(log, question);
  } finally {
    await log.close();
  }
};

/** Reads every event, in batches of the projector's size, and does nothing with them. */
const scan = async (log: EventLog): Promise<RebuildResult> => {
  const begin = performance.now();
  let events = 0;
  for await (const batch of log.readAll({ batchSize: 1_000 })) events += batch.events.length;
  return { events, seconds: (performance.now() - begin) / 1_000, sums: {}, searchable: 0 };
};

/** Runs the real projector over an empty store until every projection is live. */
const rebuild = async (
  log: EventLog,
  { store: { url, dataDir }, search }: Rebuild,
): Promise<RebuildResult> => {
  const store = await openReadStore(url, { dataDir, mode: 'write' });
  const terms = search && (await openTerms(log, search));
  const ending = new AbortController();
  const begin = performance.now();
  let seconds = 0;
  const projector: Projector = new Projector({
    log,
    store,
    projections: terms === undefined ? projections : allProjections(terms.make, log),
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
  const searchable = await searchableIn(store);
  await store.close();
  await terms?.close();
  return { events, seconds, sums, searchable };
};

const openTerms = async (
  log: EventLog,
  address: EngineAddress,
): Promise<{ readonly make: MakeTerms; close(): Promise<void> }> => {
  const box = openSecretBox([await secretsKeyIn(address.dataDir)]);
  const keys = await openKeyReaderOfLog(log, address);
  return { make: newSearchTerms(keys, box), close: () => keys.close() };
};

const searchableIn = async (store: ReadStore): Promise<number> => {
  let count = 0;
  for (const build of await store.builds(affiliateSearch.name))
    for await (const { documents } of store.scan(build, affiliateSearch.name))
      count += documents.length;
  return count;
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
