export { boundLimit } from './bound-limit.js';
export { ChangeNotifier } from './change-notifier.js';
export type { Database, Statement } from './connection.js';
export { copyDatabase } from './copy-database.js';
export { canonicalPath, openDatabase } from './database.js';
export type { DatabaseFormat, OpenOptions } from './database.js';
export {
  DirectoryLocked,
  isDirectoryLocked,
  lockDirectory,
  type DirectoryLock,
} from './directory-lock.js';
export { removeDurably, writeDurably } from './durable-file.js';
export { SqliteError, toSqliteError } from './sqlite-error.js';
export { syncDirectory } from './sync-directory.js';
export { Calls, CallServer, callsTo, type CallOf } from './thread-calls.js';
export { retryWhileBusy, transaction, tryTransaction } from './transaction.js';
export { startThread, type Thread } from './worker-thread.js';
