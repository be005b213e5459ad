import { dirname } from 'node:path';
import { isMainThread } from 'node:worker_threads';

/**
 * SQLite's own temporary files, of sorts larger than its cache, lie beside the first database that a process opens: there is room, and in a
 * container it may write nowhere else. `SQLITE_TMPDIR` from outside names another folder; SQLite looks at it once, before its first database.
 */
export const keepTemporaryFilesBeside = (file: string): void => {
  // other threads have only a copy of the process's environment
  if (isMainThread) process.env['SQLITE_TMPDIR'] ??= dirname(file);
};
