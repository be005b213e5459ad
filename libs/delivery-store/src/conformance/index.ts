export { deliveryStoreConformance } from './delivery-store.conformance.js';
export { endpointOf, leaseOf, planned, planOf, t } from './under-test.js';
