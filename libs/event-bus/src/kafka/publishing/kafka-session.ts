import { randomUUID } from 'node:crypto';
import { laterOf, type Checkpoint } from '@refledger/contracts';
import type { Kafka, Producer, TopicMessages } from 'kafkajs';
import type { PublishedRecord } from '../../event-bus.js';
import type { PublicationSession, PublishedCheckpoint } from '../../publication.js';
import { checkpointMessage, markerMessage, noteOf, storeMessage } from './checkpoint-topic.js';
import { withTimeout } from '../with-timeout.js';
import { toMessage } from '../message.js';
import type { RelayMembership } from './relay-membership.js';
import type { Topics } from '../topics.js';
import { inTransactions } from './transactions.js';

/**
 * A transactional producer that has fenced off all earlier ones. Its first transaction commits a
 * marker. By then the broker has aborted any transaction left open by an earlier producer, so
 * everything before the marker is final.
 */
export class KafkaSession implements PublicationSession {
  readonly storeId: string;
  readonly checkpoint: PublishedCheckpoint | undefined;
  private latest: PublishedCheckpoint | undefined;
  private timer: NodeJS.Timeout | undefined;

  private constructor(
    private readonly producer: Producer,
    private readonly topics: Topics,
    private readonly membership: RelayMembership,
    { storeId, checkpoint }: Pick<PublicationSession, 'storeId' | 'checkpoint'>,
  ) {
    this.storeId = storeId;
    this.checkpoint = checkpoint;
    if (checkpoint !== undefined) this.commitLater(checkpoint);
  }

  static async start(
    kafka: Kafka,
    topics: Topics,
    membership: RelayMembership,
    over: AbortSignal,
  ): Promise<KafkaSession> {
    const producer = kafka.producer({
      transactionalId: topics.transactionalId,
      idempotent: true,
      maxInFlightRequests: 1,
      allowAutoTopicCreation: false,
      retry,
    });
    try {
      await producer.connect();
      const marker = randomUUID();
      const found = membership.checkpoints.upTo(
        marker,
        AbortSignal.any([over, AbortSignal.timeout(readTimeoutMs)]),
      );
      found.catch(() => undefined);
      await commit(producer, [{ topic: topics.checkpoints, messages: [markerMessage(marker)] }]);
      const { storeId, checkpoint } = await found;
      const id = storeId ?? randomUUID();
      if (storeId === undefined)
        await commit(producer, [{ topic: topics.checkpoints, messages: [storeMessage(id)] }]);
      return new KafkaSession(producer, topics, membership, { storeId: id, checkpoint });
    } catch (error) {
      void producer.disconnect().catch(() => undefined);
      throw error;
    }
  }

  async publish(records: readonly PublishedRecord[], through: Checkpoint): Promise<void> {
    const messages = records.map((record) => ({
      record,
      message: toMessage(record, through.logId),
    }));
    for (const { part, isLast } of inTransactions(messages)) {
      const end = part.at(-1)?.record;
      const lastRecord = laterOf(this.latest?.lastRecord, end?.position);
      const checkpoint: PublishedCheckpoint = {
        ...(isLast || end === undefined
          ? through
          : { logId: through.logId, position: end.position, eventId: end.eventId }),
        lastRecord,
      };
      const messagesOf = (topic: string) =>
        part
          .filter(({ record: { type } }) => this.topics.topicOf(type) === topic)
          .map(({ message }) => message);
      await commit(this.producer, [
        ...this.topics.records
          .map((topic) => ({ topic, messages: messagesOf(topic) }))
          .filter(({ messages }) => messages.length > 0),
        { topic: this.topics.checkpoints, messages: [checkpointMessage(checkpoint)] },
      ]);
      this.commitLater(checkpoint);
    }
  }

  async close(): Promise<void> {
    clearTimeout(this.timer);
    await withTimeout(this.producer.disconnect());
  }

  /**
   * Notes the latest checkpoint for others to see, at most twice a second. The next note makes up
   * for a failed one.
   */
  private commitLater(checkpoint: PublishedCheckpoint): void {
    this.latest = checkpoint;
    this.timer ??= setTimeout(() => {
      this.timer = undefined;
      if (this.latest !== undefined)
        this.membership.commitMetadata(noteOf(this.latest)).catch(() => undefined);
    }, noteIntervalMs).unref();
  }
}

/**
 * Sends messages in one transaction. After an error it is unknown whether the transaction was
 * committed; only another producer's first transaction settles that.
 */
const commit = async (producer: Producer, topicMessages: TopicMessages[]): Promise<void> => {
  const transaction = await producer.transaction();
  await transaction.sendBatch({ acks: -1, topicMessages });
  await transaction.commit();
};

const noteIntervalMs = 500;
const readTimeoutMs = 60_000;

/**
 * Right after a commit the broker rejects the next transaction for a few milliseconds
 * (CONCURRENT_TRANSACTIONS).
 */
const retry = { initialRetryTime: 5, maxRetryTime: 1_000, retries: 12 };
