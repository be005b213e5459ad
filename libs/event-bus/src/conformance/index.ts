export * from './event-bus.conformance.js';
export * from './sample-events.js';
