import { randomUUID } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import { streams, type PublicRecord, type StoredRecord } from '@refledger/contracts';
import { pendingDecision, pendingStop, processorDecider } from '@refledger/domain';
import { embeddedUrls } from '@refledger/engines';
import { openPublication, Relay, relayName } from '@refledger/event-bus';
import { CommandHandler, newContext } from '@refledger/application';
import { openEventLog, type EventLog } from '@refledger/event-log';
import { openRawKafka, type RawKafka } from '@refledger/testing/kafka';
import { requireServers } from '@refledger/testing/servers';
import type { Bench } from '../bench.js';
import { serverNote } from '../report/server-note.js';
import { appendSales, eventsOfSale } from './sales.js';

/** The number of partitions of each topic that the rows make. */
export const partitions = 4;
/** Opens records without personal values. The rows append no affiliates. */
export const personalData = {
  openRecords: (records: readonly StoredRecord[]): Promise<readonly PublicRecord[]> =>
    Promise.resolve(records.filter((record) => record.object !== 'affiliate')),
};
/** A logger that discards everything. */
export const quiet = {
  debug: () => undefined,
  info: () => undefined,
  warn: () => undefined,
  error: () => undefined,
};

/** A broker, and a log full of sales. */
export interface BusToMeasure {
  readonly url: string;
  readonly log: EventLog;
  readonly raw: RawKafka;
  /** The number of public events in the log. */
  readonly events: number;
}

/** Starts a broker and fills a new embedded log with sales. */
export const busToMeasure = async (bench: Bench): Promise<BusToMeasure> => {
  const started = await requireServers('Kafka').start('Kafka');
  const server = bench.use({ ...started, close: () => started.stop() });
  bench.note(serverNote(server));
  const log = bench.use(
    await openEventLog(embeddedUrls.EVENT_LOG_URL, {
      dataDir: await bench.directory(),
      mode: 'write',
    }),
  );
  const sales = bench.count(3_000);
  await appendSales(log, sales);
  return {
    url: `kafka://${server.url}`,
    log,
    raw: openRawKafka(server.url),
    events: eventsOfSale * sales,
  };
};

/**
 * Has a relay publish the whole log to new topics. Resolves to their prefix, and to the
 * milliseconds since the relay became the leader.
 */
export const publishAll = async ({
  url,
  log,
}: Pick<BusToMeasure, 'url' | 'log'>): Promise<{
  readonly prefix: string;
  readonly ms: number;
}> => {
  const prefix = `bench-${randomUUID()}`;
  const publication = await openPublication(url, { prefix, partitions, logger: quiet });
  if (publication === undefined) throw new TypeError('This bus has nothing to relay.');
  let begun = 0;
  const timed = {
    ...publication,
    lead: async (...given: Parameters<typeof publication.lead>) => {
      const lead = await publication.lead(...given);
      begun = performance.now();
      return lead;
    },
  };
  const relay = new Relay({ log, personalData, publication: timed, logger: quiet });
  const stop = new AbortController();
  const head = await log.head();
  const running = relay.run((batch) => relay.publish(batch), stop.signal);
  while (
    relay.status().position === undefined ||
    BigInt(relay.status().position ?? 0) < BigInt(head ?? 0)
  ) {
    await sleep(2);
    if (relay.status().state !== 'stopped') continue;
    // a relay refuses to start on topics that do not hold its checkpoint
    await resumeFromStart(log);
    begun = performance.now();
  }
  const ms = performance.now() - begun;
  stop.abort();
  await running;
  await publication.close();
  return { prefix, ms };
};

/** Decides that the relay publishes everything, if it waits for this decision. */
const resumeFromStart = async (log: EventLog): Promise<void> => {
  const commands = new CommandHandler(log);
  const stream = streams.processor(relayName);
  const { state } = await commands.load(processorDecider, stream);
  const stop = pendingStop(state);
  if (stop === undefined || pendingDecision(state) !== undefined) return;
  await commands.run({
    stream,
    decider: processorDecider,
    command: { type: 'resume', processor: relayName, from: 'start', stop },
    context: newContext({ accountId: null, actor: 'bench', requestId: 'bench' }),
  });
};
