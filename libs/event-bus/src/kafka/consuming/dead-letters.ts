import type { Kafka, KafkaMessage, Producer } from 'kafkajs';
import { withTimeout } from '../with-timeout.js';

/** Copies foreign messages found in Refledger's topics to a topic where people can inspect them. */
export class DeadLetters {
  private producer: Promise<Producer> | undefined;

  constructor(
    private readonly kafka: Kafka,
    private readonly topic: string,
  ) {}

  /** Resolves once the message is stored; only then may reading continue. */
  async keep(
    { key, value, headers, offset }: KafkaMessage,
    partition: string,
    reason: string,
  ): Promise<void> {
    const cut = value !== null && value.length > maxBytes;
    const message = {
      key,
      value: cut ? value.subarray(0, maxBytes) : value,
      headers: {
        ...headers,
        dead_letter_from: `${partition}/${offset}`,
        dead_letter_reason: reason,
        ...(cut && { dead_letter_cut: 'true' }),
      },
    };
    const producer = await (this.producer ??= this.connect());
    await producer.send({ topic: this.topic, messages: [message], acks: -1 });
  }

  async close(): Promise<void> {
    if (this.producer !== undefined)
      await withTimeout(this.producer.then((producer) => producer.disconnect()));
  }

  private async connect(): Promise<Producer> {
    const producer = this.kafka.producer({ allowAutoTopicCreation: false });
    try {
      await producer.connect();
      return producer;
    } catch (error) {
      this.producer = undefined;
      throw error;
    }
  }
}

/** With headers this fits the broker's default limit of 1 MiB. */
const maxBytes = 768 * 1024;
