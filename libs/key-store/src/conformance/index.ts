export { keyStoreConformance } from './key-store.conformance.js';
