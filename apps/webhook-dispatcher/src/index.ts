export * from './start-webhook-dispatcher.js';
