export * from './event-bus.conformance.js';
export * from './sample-events.js';
export type { EventBusFixture } from './under-test.js';
