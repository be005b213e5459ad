export { keepConsuming, type BusConsumer } from './consumer.js';
export { OffsetNotFound } from './event-bus.js';
export type { BusBatch, BusEnd, EventBus, Offset, PublishedRecord } from './event-bus.js';
export { openEventBus, openPublication } from './open-event-bus.js';
export { RecordMaker, type RecordMakerOptions } from './record-maker.js';
export { relayName } from './relay-start.js';
export { Relay, type RelayOptions, type RelayStatus } from './relay.js';
