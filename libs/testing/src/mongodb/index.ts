export * from './drop-database.js';
export * from './raw-client.js';
