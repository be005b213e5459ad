export * from './mongodb-read-store.js';
