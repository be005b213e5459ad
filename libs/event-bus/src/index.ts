export * from './consumer.js';
export * from './event-bus.js';
export * from './record-maker.js';
