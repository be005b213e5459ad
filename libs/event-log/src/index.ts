export * from './event-log.js';
export * from './event-log-error.js';
