export * from './delivery-store.conformance.js';
export type { DeliveryStoreFixture } from './under-test.js';
