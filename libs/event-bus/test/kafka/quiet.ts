import type { KafkaLogger } from '../../src/kafka/kafka-logs.js';

export const quiet: KafkaLogger = {
  debug: () => undefined,
  info: () => undefined,
  warn: () => undefined,
  error: () => undefined,
};
