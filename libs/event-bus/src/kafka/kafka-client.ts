import { Kafka } from 'kafkajs';
import { stopPollingIdleQueues } from './idle-queues.js';
import { kafkaLogs, type KafkaLogger } from './kafka-logs.js';

stopPollingIdleQueues();

/** How to reach a Kafka cluster, and the prefix of names on it. */
export interface KafkaConnection {
  /** `host:port` of some brokers, which name the others. */
  readonly brokers: readonly string[];
  readonly logger: KafkaLogger;
  /**
   * The prefix of all topics, groups and the transactional id, so that several services can share a
   * cluster. Default: `refledger`.
   */
  readonly prefix?: string;
}

/** The brokers of `kafka://host:port,host:port`. */
export const brokersOf = (url: string): readonly string[] =>
  url.slice('kafka://'.length).split(',');

/** Creates a client, which connects when it is used. `role` appears in the broker's logs. */
export const newKafka = (
  { brokers, logger, prefix = defaultPrefix }: KafkaConnection,
  role: string,
): Kafka =>
  new Kafka({
    clientId: `${prefix}-${role}`,
    brokers: [...brokers],
    connectionTimeout: 3_000,
    requestTimeout: 15_000,
    // Refledger's own retries, which are logged, handle longer failures.
    retry: { initialRetryTime: 50, maxRetryTime: 2_000, retries: 6 },
    ...kafkaLogs(logger),
  });

export const defaultPrefix = 'refledger';
export const defaultSession = { sessionTimeout: 10_000, heartbeatInterval: 2_000 };
