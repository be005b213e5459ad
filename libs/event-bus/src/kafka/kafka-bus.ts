import type { EventLog } from '@refledger/event-log';
import type { BusBatch, BusPlace, ConsumeOptions, EventBus } from '../event-bus.js';
import { partitionName } from './assigned-partition.js';
import { DeadLetters } from './dead-letters.js';
import { endedInTime } from './ended-in-time.js';
import { GroupConsumption, type GroupConsumptionOptions } from './group-consumption.js';
import { KafkaAdmin } from './kafka-admin.js';
import { newKafka, type KafkaConnection } from './kafka-client.js';
import { placeInPartition } from './place-in-partition.js';
import { publishedUpTo } from './published-up-to.js';
import { topicsNamed } from './topics.js';

export interface KafkaBusOptions extends KafkaConnection {
  /** Whose records are consumed. Stays its owner's: closing the bus leaves it open. */
  readonly log: Pick<EventLog, 'id' | 'eventAt'>;
  /** Consumers of the same name share the partitions. */
  readonly group: string;
  /** After how long without a sign of life a member loses its partitions, and how often it gives one. */
  readonly session?: GroupConsumptionOptions['session'];
}

/** Kafka as the bus, for reading: the relay publishes. A place's source is the cluster and the log; it ends with the last record dealt with, by which another topic of the same name shows. */
export const openKafkaBus = ({
  log,
  group,
  session = defaultSession,
  ...connection
}: KafkaBusOptions): EventBus => {
  const kafka = newKafka(connection, group);
  const topics = topicsNamed(connection.prefix);
  const admin = new KafkaAdmin(kafka);
  const deadLetters = new DeadLetters(kafka, topics.deadLetters);
  const ended = new AbortController();

  const sourceNow = async (): Promise<string> =>
    `${(await admin.ask((asked) => asked.describeCluster())).clusterId}/${log.id}`;

  return {
    capabilities: { inLogOrder: false },

    async *consume(consume: ConsumeOptions): AsyncIterable<BusBatch> {
      const signal = AbortSignal.any([consume.signal, ended.signal]);
      if (signal.aborted) return;
      const source = await sourceNow();
      const consumption = new GroupConsumption({
        kafka,
        groupId: `${connection.prefix ?? 'refledger'}.${group}`,
        topics: topics.records,
        source,
        log,
        admin,
        deadLetters,
        logger: connection.logger,
        session,
        consume,
      });
      const stop = (): void => consumption.handover.close();
      signal.addEventListener('abort', stop);
      try {
        // in its time: an abort doesn't wait for a cluster that is away
        consumption.begin().catch((error: unknown) => consumption.handover.fail(error));
        if (!signal.aborted) yield* consumption.handover.items();
      } finally {
        signal.removeEventListener('abort', stop);
        await endedInTime(consumption.end());
      }
    },

    async placesAt(position) {
      const event = await log.eventAt(position);
      if (event === undefined) return [];
      const from = Date.parse(event.metadata.recorded_at) - clocksApartMs;
      const source = await sourceNow();
      const places: BusPlace[] = [];
      for (const topic of topics.records) {
        const extents = await admin.extentsOf(topic);
        for (const { partition: number, offset } of await admin.ask((asked) =>
          asked.fetchTopicOffsetsByTimestamp(topic, from),
        )) {
          // a partition without a place is read from its beginning
          if (BigInt(offset) > (extents.get(number)?.low ?? 0n))
            places.push(
              placeInPartition(
                source,
                partitionName({ topic, number }),
                BigInt(offset) - 1n,
                undefined,
              ),
            );
        }
      }
      return places;
    },

    async end() {
      const published = await publishedUpTo(admin, topics, log.id);
      if (published === undefined) return undefined;
      const source = await sourceNow();
      const places: BusPlace[] = [];
      for (const topic of topics.records) {
        // asked after how far the relay has come, so that it is all before these ends
        for (const [number, { low, high }] of await admin.extentsOf(topic)) {
          if (high > low)
            places.push(
              placeInPartition(source, partitionName({ topic, number }), high - 1n, undefined),
            );
        }
      }
      return { ...published, places };
    },

    async close() {
      ended.abort();
      await Promise.all([admin.close(), deadLetters.close()]);
    },
  };
};

const defaultSession = { sessionTimeout: 10_000, heartbeatInterval: 2_000 };

/** A message is stamped when it is published, later than its event was recorded; by no more than this can the two clocks differ. */
const clocksApartMs = 3_600_000;
