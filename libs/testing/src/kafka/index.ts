export { openRawKafka } from './raw-kafka.js';
export type { RawKafka } from './raw-kafka.js';
