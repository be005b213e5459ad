import type { Position } from '@refledger/contracts';
import type { EventLog } from '@refledger/event-log';
import type { Kafka } from 'kafkajs';
import type { BusBatch, BusEnd, Offset, ConsumeOptions, EventBus } from '../event-bus.js';
import { partitionName, type AssignedPartition } from './consuming/assigned-partition.js';
import { DeadLetters } from './consuming/dead-letters.js';
import { withTimeout } from './with-timeout.js';
import { GroupConsumption, type GroupConsumptionOptions } from './consuming/group-consumption.js';
import { KafkaAdmin } from './kafka-admin.js';
import { defaultPrefix, defaultSession, newKafka, type KafkaConnection } from './kafka-client.js';
import { offsetInPartition } from './consuming/offset-in-partition.js';
import { publishedUpTo } from './publishing/checkpoint-topic.js';
import { topicsNamed, type Topics } from './topics.js';

export interface KafkaBusOptions extends KafkaConnection {
  /** The log whose records are consumed. Closing the bus leaves it open. */
  readonly log: Pick<EventLog, 'id' | 'eventAt'>;
  /** Consumers with the same group name share the partitions. */
  readonly group: string;
  /**
   * The time without a heartbeat after which a member loses its partitions, and the interval
   * between heartbeats.
   */
  readonly session?: GroupConsumptionOptions['session'];
}

/**
 * Kafka as the bus, for reading; the relay publishes. The source of an offset is the cluster and
 * the log. The mark of an offset is the last handled record, so that another topic of the same name
 * is detected.
 */
export const openKafkaBus = (options: KafkaBusOptions): EventBus => new KafkaBus(options);

class KafkaBus implements EventBus {
  readonly capabilities = { inLogOrder: false };
  private readonly log: KafkaBusOptions['log'];
  private readonly kafka: Kafka;
  private readonly topics: Topics;
  private readonly admin: KafkaAdmin;
  private readonly deadLetters: DeadLetters;
  private readonly ended = new AbortController();

  constructor(private readonly options: KafkaBusOptions) {
    this.log = options.log;
    this.kafka = newKafka(options, options.group);
    this.topics = topicsNamed(options.prefix);
    this.admin = new KafkaAdmin(this.kafka);
    this.deadLetters = new DeadLetters(this.kafka, this.topics.deadLetters);
  }

  async *consume(consume: ConsumeOptions): AsyncIterable<BusBatch> {
    const { log, kafka, topics, admin, deadLetters } = this;
    const { prefix = defaultPrefix, group, logger, session = defaultSession } = this.options;
    const signal = AbortSignal.any([consume.signal, this.ended.signal]);
    if (signal.aborted) return;
    const source = await this.sourceNow();
    const consumption = new GroupConsumption({
      kafka,
      groupId: `${prefix}.${group}`,
      topics: topics.records,
      source,
      log,
      admin,
      deadLetters,
      logger,
      session,
      consume,
    });
    const stop = (): void => consumption.queue.close();
    signal.addEventListener('abort', stop);
    try {
      // Not awaited, so that an abort need not wait for an unreachable cluster.
      consumption.start().catch((error: unknown) => consumption.queue.fail(error));
      if (!signal.aborted) yield* consumption.queue.items();
    } finally {
      signal.removeEventListener('abort', stop);
      await withTimeout(consumption.end());
    }
  }

  async offsetsAt(position: Position): Promise<readonly Offset[]> {
    const event = await this.log.eventAt(position);
    if (event === undefined) return [];
    const from = Date.parse(event.metadata.recorded_at) - clocksApartMs;
    const source = await this.sourceNow();
    const offsets: Offset[] = [];
    for (const topic of this.topics.records) {
      const extents = await this.admin.extentsOf(topic);
      for (const { partition: number, offset } of await this.admin.request((asked) =>
        asked.fetchTopicOffsetsByTimestamp(topic, from),
      )) {
        // A partition without an offset is read from its start.
        if (BigInt(offset) > (extents.get(number)?.low ?? 0n))
          offsets.push(offsetBefore(BigInt(offset), source, { topic, number }));
      }
    }
    return offsets;
  }

  async end(): Promise<BusEnd | undefined> {
    const published = await publishedUpTo(this.admin, this.topics, this.log.id);
    if (published === undefined) return undefined;
    const source = await this.sourceNow();
    const offsets: Offset[] = [];
    for (const topic of this.topics.records) {
      // Fetched after the relay's checkpoint, so that everything up to the checkpoint is before
      // these ends.
      for (const [number, { low, high }] of await this.admin.extentsOf(topic)) {
        if (high > low) offsets.push(offsetBefore(high, source, { topic, number }));
      }
    }
    return { ...published, offsets };
  }

  async close(): Promise<void> {
    this.ended.abort();
    await Promise.all([this.admin.close(), this.deadLetters.close()]);
  }

  private async sourceNow(): Promise<string> {
    const { clusterId } = await this.admin.request((asked) => asked.describeCluster());
    return `${clusterId}/${this.log.id}`;
  }
}

/** The offset to store so that reading continues at `offset`. */
const offsetBefore = (
  offset: bigint,
  source: string,
  partition: Pick<AssignedPartition, 'topic' | 'number'>,
): Offset => offsetInPartition(source, partitionName(partition), offset - 1n, undefined);

/**
 * A message gets its timestamp when it is published, after its event was recorded. This is the
 * largest tolerated difference between the two clocks, in milliseconds.
 */
const clocksApartMs = 3_600_000;
