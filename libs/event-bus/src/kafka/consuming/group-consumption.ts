import type { EventLog, UnreadableEvent } from '@refledger/event-log';
import type {
  Consumer,
  ConsumerConfig,
  ConsumerStartBatchProcessEvent,
  EachBatchPayload,
  Kafka,
} from 'kafkajs';
import { OffsetNotFound, type BusBatch, type ConsumeOptions } from '../../event-bus.js';
import { AssignedPartition, partitionName } from './assigned-partition.js';
import type { DeadLetters } from './dead-letters.js';
import { AsyncQueue } from './async-queue.js';
import type { KafkaLogger } from '../kafka-logs.js';
import type { KafkaAdmin } from '../kafka-admin.js';
import { beginningOf, lastOf } from './offset-in-partition.js';
import { chunksOf, type Chunk, type ChunkOptions } from './chunks.js';

export interface GroupConsumptionOptions {
  readonly kafka: Kafka;
  readonly groupId: string;
  readonly topics: readonly string[];
  readonly source: string;
  readonly log: Pick<EventLog, 'id' | 'eventAt'>;
  readonly admin: Pick<KafkaAdmin, 'extentsOf'>;
  readonly deadLetters: DeadLetters;
  readonly logger: KafkaLogger;
  readonly session: Pick<ConsumerConfig, 'sessionTimeout' | 'heartbeatInterval'>;
  readonly consume: ConsumeOptions;
}

/**
 * One membership of the consumer group. It commits no offsets: on every assignment, reading starts
 * at the consumer's own offsets. So earlier fetches are dropped, and messages that other members
 * have handled since are not read again.
 */
export class GroupConsumption {
  readonly queue = new AsyncQueue<BusBatch>();
  private readonly consumer: Consumer;
  private partitions = new Map<string, AssignedPartition>();
  private assignments = 0;
  private readonly otherLogs = new Set<string>();

  constructor(private readonly options: GroupConsumptionOptions) {
    const { kafka, groupId, session } = options;
    this.consumer = kafka.consumer({
      groupId,
      ...session,
      allowAutoTopicCreation: false,
      // kafkajs sleeps this long while every partition waits for its offset.
      maxWaitTimeInMs: 250,
      retry: { restartOnFailure: () => Promise.resolve(false) },
    });
  }

  async start(): Promise<void> {
    const { consumer, options } = this;
    consumer.on(
      consumer.events.GROUP_JOIN,
      ({ payload: { memberAssignment } }) =>
        void this.assigned(memberAssignment).catch((error: unknown) => this.queue.fail(error)),
    );
    consumer.on(consumer.events.CRASH, ({ payload: { error } }) => this.queue.fail(error));
    consumer.on(consumer.events.START_BATCH_PROCESS, ({ payload }) => this.passed(payload));
    await consumer.connect();
    await consumer.subscribe({ topics: [...options.topics], fromBeginning: true });
    await consumer.run({
      autoCommit: false,
      eachBatchAutoResolve: false,
      eachBatch: (payload) => this.consumeBatch(payload),
    });
  }

  async end(): Promise<void> {
    this.partitions = new Map();
    this.queue.close();
    await this.consumer.disconnect();
  }

  /**
   * Fetches nothing until the offsets are known. Pauses first, because kafkajs starts to fetch
   * right after it announces the assignment.
   */
  private async assigned(assignment: Readonly<Record<string, readonly number[]>>): Promise<void> {
    const { consume } = this.options;
    const topics = Object.entries(assignment).map(([topic, partitions]) => ({
      topic,
      partitions: [...partitions],
    }));
    this.consumer.pause(topics);
    const nth = ++this.assignments;
    this.partitions = new Map();
    const opened = (
      await Promise.all(topics.map(({ topic, partitions }) => this.openAll(topic, partitions)))
    ).flat();
    // There was another assignment in the meantime.
    if (nth !== this.assignments) return;
    for (const partition of opened) {
      this.partitions.set(partition.name, partition);
      consume.onAssigned?.(partition.name);
      this.continueReading(partition);
    }
    if (opened.length === 0) consume.onNoneAssigned?.();
  }

  private async openAll(
    topic: string,
    numbers: readonly number[],
  ): Promise<readonly AssignedPartition[]> {
    const extents = await this.options.admin.extentsOf(topic);
    const opened: AssignedPartition[] = [];
    for (const number of numbers) {
      const extent = extents.get(number);
      if (extent === undefined) throw new Error(`${topic} has no partition ${number}`);
      const offset = await this.options.consume.offsetOf(partitionName({ topic, number }));
      const beginning = beginningOf(offset, this.options.source, extent);
      const last = offset && lastOf(offset);
      if (
        offset !== undefined &&
        last !== undefined &&
        last !== 'unknown' &&
        (await this.options.log.eventAt(last.position))?.id !== last.eventId
      ) {
        throw new OffsetNotFound(
          offset,
          `the log lacks event ${last.eventId} at position ${last.position}, which the offset in ${offset.partition} names`,
        );
      }
      opened.push(new AssignedPartition(topic, number, this.options.source, beginning));
    }
    return opened;
  }

  private continueReading({ topic, number, expected }: AssignedPartition): void {
    this.consumer.seek({ topic, partition: number, offset: String(expected) });
    this.consumer.resume([{ topic, partitions: [number] }]);
  }

  /**
   * Moves the offset past a batch that holds only commits and aborts, which never reaches `take`.
   */
  private passed({
    topic,
    partition: number,
    batchSize,
    firstOffset,
    lastOffset,
  }: ConsumerStartBatchProcessEvent['payload']): void {
    const partition = this.partitions.get(partitionName({ topic, number }));
    if (partition === undefined || batchSize > 0 || firstOffset !== String(partition.expected))
      return;
    partition.advanceTo(lastOffset);
    void this.queue.put({ records: [], offset: partition.offset });
  }

  private async consumeBatch(payload: EachBatchPayload): Promise<void> {
    const { batch } = payload;
    const partition = this.partitions.get(
      partitionName({ topic: batch.topic, number: batch.partition }),
    );
    if (partition === undefined) return;
    try {
      if (partition.continueWith(batch) === 'read again') return this.continueReading(partition);
      for (const chunk of chunksOf(partition.unread(batch.messages), this.reading)) {
        for (const { message, reason } of chunk.foreign)
          await this.options.deadLetters.keep(message, partition.name, reason);
        for (const logId of chunk.otherLogs) this.leaveOut(partition, logId);
        if (!(await this.handOver(chunk, partition, payload))) return;
        if (chunk.unreadable !== undefined) this.stopAt(partition, chunk.unreadable);
      }
    } catch (error) {
      if (!(error instanceof OffsetNotFound)) throw error;
      this.hold(partition);
      this.queue.fail(error);
    }
  }

  /** Resolves once the consumer has handled the chunk. False if the partition was lost. */
  private async handOver(
    chunk: Chunk,
    partition: AssignedPartition,
    payload: EachBatchPayload,
  ): Promise<boolean> {
    const { batch } = payload;
    const end = batch.messages.at(-1)?.offset;
    const offset = chunk.offset ?? (chunk.unreadable === undefined ? end : undefined);
    if (offset === undefined) return true;
    // Handling the last message also covers the broker's own records after it.
    partition.advanceTo(offset === end ? batch.lastOffset() : offset, chunk.last);
    await heartbeatUntil(this.queue.put({ records: chunk.records, offset: partition.offset }), () =>
      payload.heartbeat(),
    );
    if (this.partitions.get(partition.name) !== partition) return false;
    payload.resolveOffset(offset);
    return true;
  }

  private stopAt(partition: AssignedPartition, error: UnreadableEvent): void {
    this.hold(partition);
    const { onUnreadable } = this.options.consume;
    if (onUnreadable === undefined) return this.queue.fail(error);
    onUnreadable(error).then(
      () => this.partitions.get(partition.name) === partition && this.continueReading(partition),
      (failure: unknown) => this.queue.fail(failure),
    );
  }

  private hold({ topic, number }: AssignedPartition): void {
    this.consumer.pause([{ topic, partitions: [number] }]);
  }

  private leaveOut(partition: AssignedPartition, logId: string): void {
    if (this.otherLogs.has(logId)) return;
    this.otherLogs.add(logId);
    this.options.logger.warn(
      { partition: partition.name, log_id: logId },
      'the bus holds records from another log, which are ignored',
    );
  }

  private get reading(): ChunkOptions {
    const { log, consume } = this.options;
    const { batchSize = 500, isSkipped = () => false } = consume;
    return { logId: log.id, isSkipped, size: batchSize };
  }
}

/** Sends heartbeats until the work is done. Then throws if one failed: membership is lost. */
const heartbeatUntil = async (
  handled: Promise<void>,
  heartbeat: () => Promise<void>,
): Promise<void> => {
  let lost: { readonly error: unknown } | undefined;
  const timer = setInterval(
    () => void heartbeat().catch((error: unknown) => (lost ??= { error })),
    500,
  );
  try {
    await handled;
  } finally {
    clearInterval(timer);
  }
  if (lost !== undefined) throw lost.error;
};
