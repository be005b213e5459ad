export * from './secrets-readable.js';
export * from './start-webhook-dispatcher.js';
