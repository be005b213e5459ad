export * from './double-cluster.js';
export * from './double-process.js';
export * from './raw-client.js';
