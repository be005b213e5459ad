import { dirname } from 'node:path';
import { isMainThread } from 'node:worker_threads';
import { DatabaseSync } from '@photostructure/sqlite';

/** The driver's connection. */
export type Connection = InstanceType<typeof DatabaseSync>;

/**
 * Opens a file, by its absolute path. SQLite's own temporary files, of sorts larger than its cache, lie beside the first file that a process opens:
 * there is room, and in a container it may write nowhere else. `SQLITE_TMPDIR` from outside names another folder; SQLite looks at it once, before its first file.
 */
export const connect = (file: string, options: ConstructorParameters<typeof DatabaseSync>[1]): Connection => {
  // other threads have only a copy of the process's environment
  if (isMainThread) process.env['SQLITE_TMPDIR'] ??= dirname(file);
  return new DatabaseSync(file, options);
};
