export * from './open-eventstoredb-event-log.js';
