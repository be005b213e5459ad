import { dirname } from 'node:path';
import { DatabaseSync } from '@photostructure/sqlite';

/** The driver's connection. */
export type Connection = InstanceType<typeof DatabaseSync>;

/**
 * Opens a file by its absolute path.
 *
 * SQLite's own temporary files, which it needs for sorts larger than its cache, go to the folder of
 * the first file that a process opens: that folder has room, and a container may not be able to
 * write anywhere else. `SQLITE_TMPDIR` in the environment names another folder. SQLite reads it
 * once, before its first file, which the main thread must open because other threads have a copy of
 * the environment.
 */
export const connect = (
  file: string,
  options: ConstructorParameters<typeof DatabaseSync>[1],
): Connection => {
  process.env['SQLITE_TMPDIR'] ??= dirname(file);
  return new DatabaseSync(file, options);
};
