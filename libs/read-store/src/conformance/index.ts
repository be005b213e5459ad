export * from './read-store.conformance.js';
