export { eventBusConformance } from './event-bus.conformance.js';
export { accountId, EventWriter } from './sample-events.js';
export type { EventBusFixture } from './under-test.js';
