import { dirname } from 'node:path';
import { DatabaseSync } from '@photostructure/sqlite';

/** The driver's connection. */
export type Connection = InstanceType<typeof DatabaseSync>;

/**
 * The driver's connection (its API is that of node:sqlite's `DatabaseSync`), with the path that
 * messages name, and with statements whose rows have a type.
 */
export interface Database extends Omit<Connection, 'prepare'> {
  readonly file: string;
  /** Prepares a statement. The caller states the type of its rows, which nothing checks. */
  prepare<Row = unknown>(sql: string): Statement<Row>;
}

/** The driver's prepared statement (its API is that of node:sqlite's `StatementSync`). */
export interface Statement<Row = unknown> extends Pick<
  ReturnType<Connection['prepare']>,
  'run' | 'setReturnArrays'
> {
  get(...values: readonly unknown[]): Row | undefined;
  all(...values: readonly unknown[]): Row[];
  iterate(...values: readonly unknown[]): IterableIterator<Row>;
}

/**
 * Opens a file by its absolute path.
 *
 * SQLite's own temporary files, which it needs for sorts larger than its cache, go to the directory
 * of the first file that a process opens: that directory has room, and a container may not be able
 * to write anywhere else. `SQLITE_TMPDIR` in the environment names another directory. SQLite reads
 * it once, before its first file, which the main thread must open because other threads have a copy
 * of the environment.
 */
export const connect = (
  file: string,
  options: ConstructorParameters<typeof DatabaseSync>[1],
): Connection => {
  process.env['SQLITE_TMPDIR'] ??= dirname(file);
  return new DatabaseSync(file, options);
};
