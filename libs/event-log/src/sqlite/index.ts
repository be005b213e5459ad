export { openSqliteEventLog, type SqliteEventLogOptions } from './open-sqlite-event-log.js';
export type { SqliteEventLog } from './sqlite-event-log.js';
