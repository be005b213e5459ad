export * from './delivery-store.conformance.js';
