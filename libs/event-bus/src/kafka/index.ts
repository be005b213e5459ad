export { openKafkaBus } from './kafka-bus.js';
export { brokersOf } from './kafka-client.js';
export { openKafkaPublication } from './publishing/kafka-publication.js';
