export { readStoreConformance } from './read-store.conformance.js';
