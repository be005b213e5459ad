export { deliveryStoreConformance } from './delivery-store.conformance.js';
