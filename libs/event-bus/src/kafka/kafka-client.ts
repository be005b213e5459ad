import { Kafka } from 'kafkajs';
import { kafkaLogs, type KafkaLogger } from './kafka-logs.js';

export interface KafkaConnection {
  /** `host:port` of some brokers; the others are learned from them. */
  readonly brokers: readonly string[];
  readonly logger: KafkaLogger;
  /** What all topics, groups and the transactional id begin with, so that several services can share a cluster; default `refledger`. */
  readonly prefix?: string;
}

/** A client that connects when it is used. `role` shows in the broker's logs. */
export const newKafka = (
  { brokers, logger, prefix = defaultPrefix }: KafkaConnection,
  role: string,
): Kafka =>
  new Kafka({
    clientId: `${prefix}-${role}`,
    brokers: [...brokers],
    connectionTimeout: 3_000,
    requestTimeout: 15_000,
    // what fails longer than this is met by our own retries, which say so
    retry: { initialRetryTime: 50, maxRetryTime: 2_000, retries: 6 },
    ...kafkaLogs(logger),
  });

export const defaultPrefix = 'refledger';
