import { randomUUID } from 'node:crypto';
import { Kafka, logLevel, type KafkaMessage, type Message } from 'kafkajs';

/**
 * The baseline for measuring the event bus's adapter: the bare client, used as its documentation
 * shows.
 */
export interface RawKafka {
  createTopic(topic: string, partitions: number): Promise<void>;
  /** Publishes with a transactional producer, one transaction per list of messages. */
  publish(topic: string, transactions: readonly (readonly Message[])[]): Promise<void>;
  /**
   * Reads a topic from its start as the only member of a group, read committed, and applies each
   * message, until `count` messages have arrived. By default, `apply` parses the message's value.
   */
  consume(topic: string, count: number, apply?: (message: KafkaMessage) => void): Promise<void>;
}

export const openRawKafka = (url: string): RawKafka => {
  const kafka = new Kafka({
    brokers: url.split(','),
    logLevel: logLevel.NOTHING,
    retry: { retries: 10, initialRetryTime: 20 },
  });
  return {
    async createTopic(topic, partitions) {
      const admin = kafka.admin();
      await admin.connect();
      await admin.createTopics({ topics: [{ topic, numPartitions: partitions }] });
      await admin.disconnect();
    },
    async publish(topic, transactions) {
      const producer = kafka.producer({
        transactionalId: randomUUID(),
        idempotent: true,
        maxInFlightRequests: 1,
      });
      await producer.connect();
      for (const messages of transactions) {
        const transaction = await producer.transaction();
        await transaction.send({ topic, messages: [...messages] });
        await transaction.commit();
      }
      await producer.disconnect();
    },
    async consume(topic, count, apply = ({ value }) => void JSON.parse(String(value))) {
      const consumer = kafka.consumer({ groupId: randomUUID() });
      await consumer.connect();
      await consumer.subscribe({ topics: [topic], fromBeginning: true });
      let seen = 0;
      await new Promise<void>((resolve) => {
        void consumer.run({
          autoCommit: false,
          eachBatch: ({ batch: { messages } }) => {
            messages.forEach(apply);
            if ((seen += messages.length) >= count) resolve();
            return Promise.resolve();
          },
        });
      });
      await consumer.disconnect();
    },
  };
};
