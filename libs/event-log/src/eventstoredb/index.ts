export { openEventStoreDbEventLog } from './open-eventstoredb-event-log.js';
