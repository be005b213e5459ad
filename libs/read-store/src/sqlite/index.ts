export * from './sqlite-read-store.js';
