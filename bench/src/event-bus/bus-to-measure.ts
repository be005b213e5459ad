import { randomUUID } from 'node:crypto';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { streams } from '@refledger/contracts';
import { processorDecider } from '@refledger/domain';
import { Relay, relayName } from '@refledger/event-bus';
import { openKafkaPublication } from '@refledger/event-bus/kafka';
import { CommandHandler, newContext, type EventLog } from '@refledger/event-log';
import { openSqliteEventLog } from '@refledger/event-log/sqlite';
import { openRawKafka, type RawKafka } from '@refledger/testing/kafka';
import { requireServers } from '@refledger/testing/servers';
import type { Bench } from '../bench.js';
import { serverNote } from '../report/server-note.js';
import { appendSales, eventsOfSale } from './sales.js';

/** The number of partitions of each topic that the rows make. */
export const partitions = 4;
/** A logger that discards everything. */
export const quiet = {
  debug: () => undefined,
  info: () => undefined,
  warn: () => undefined,
  error: () => undefined,
};

/** A broker, and a log full of sales. */
export interface BusToMeasure {
  readonly brokers: readonly string[];
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
    await openSqliteEventLog({ file: join(await bench.folder(), 'events.db'), mode: 'write' }),
  );
  const sales = bench.count(3_000);
  await appendSales(log, sales);
  return {
    brokers: server.url.split(','),
    log,
    raw: openRawKafka(server.url),
    events: eventsOfSale * sales,
  };
};

/**
 * Lets a relay publish the whole log to new topics. Resolves to their prefix, and to the
 * milliseconds from the start of the relay's turn.
 */
export const publishAll = async ({
  brokers,
  log,
}: Pick<BusToMeasure, 'brokers' | 'log'>): Promise<{
  readonly prefix: string;
  readonly ms: number;
}> => {
  // without this decision a relay refuses to start on topics that do not hold its checkpoint
  await new CommandHandler(log).run({
    stream: streams.processor(relayName),
    decider: processorDecider,
    command: { type: 'resume', processor: relayName, from: 'start' },
    context: newContext({ accountId: null, actor: 'bench', requestId: 'bench' }),
  });
  const prefix = `bench-${randomUUID()}`;
  const publication = openKafkaPublication({ brokers, prefix, partitions, logger: quiet });
  let begun = 0;
  const timed = {
    ...publication,
    turn: async (...given: Parameters<typeof publication.turn>) => {
      const turn = await publication.turn(...given);
      begun = performance.now();
      return turn;
    },
  };
  const relay = new Relay({ log, publication: timed, logger: quiet });
  const stop = new AbortController();
  const head = await log.head();
  const running = relay.run((batch) => relay.publish(batch), stop.signal);
  while (
    relay.status().position === undefined ||
    BigInt(relay.status().position ?? 0) < BigInt(head ?? 0)
  )
    await sleep(2);
  const ms = performance.now() - begun;
  stop.abort();
  await running;
  await publication.close();
  return { prefix, ms };
};
