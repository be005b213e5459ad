export * from './double-process.js';
export * from './raw-client.js';
