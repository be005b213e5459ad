import { randomUUID } from 'node:crypto';
import { Kafka, logLevel, type Message } from 'kafkajs';

/** What the adapter of the bus is measured against: the client by itself, used as its own documentation shows. */
export interface RawKafka {
  createTopic(topic: string, partitions: number): Promise<void>;
  /** Publishes by a transactional producer, a transaction each. */
  publish(topic: string, transactions: readonly (readonly Message[])[]): Promise<void>;
  /** Reads a topic from its start as one of a group, read committed, until so many messages have come, and parses each. */
  consume(topic: string, count: number): Promise<void>;
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
    async consume(topic, count) {
      const consumer = kafka.consumer({ groupId: randomUUID() });
      await consumer.connect();
      await consumer.subscribe({ topics: [topic], fromBeginning: true });
      let seen = 0;
      await new Promise<void>((resolve) => {
        void consumer.run({
          autoCommit: false,
          eachBatch: ({ batch: { messages } }) => {
            for (const { value } of messages) JSON.parse(String(value));
            if ((seen += messages.length) >= count) resolve();
            return Promise.resolve();
          },
        });
      });
      await consumer.disconnect();
    },
  };
};
