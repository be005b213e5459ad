export * from './kafka-bus.js';
export type { KafkaConnection } from './kafka-client.js';
export type { KafkaLogger } from './kafka-logs.js';
export * from './kafka-publication.js';
