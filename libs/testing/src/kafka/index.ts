export * from './raw-kafka.js';
