export * from './consumer.js';
export * from './event-bus.js';
export * from './publication.js';
export * from './record-maker.js';
export * from './relay.js';
export { relayName } from './relay-beginning.js';
