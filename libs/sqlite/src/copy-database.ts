import { existsSync } from 'node:fs';
import { backup } from '@photostructure/sqlite';
import { connect, type Connection } from './connection.js';
import { canonicalPath } from './database.js';
import { SqliteError, toSqliteError } from './sqlite-error.js';

/**
 * Copies a database file as of one instant to a file that does not exist yet, while other processes
 * continue to write. The copy is on disk once this resolves. Throws `SqliteError`.
 */
export const copyDatabase = async (from: string, to: string): Promise<void> => {
  const file = canonicalPath(from);
  if (!existsSync(file)) throw new SqliteError('absent', file, 'this file does not exist');
  if (existsSync(to)) throw new SqliteError('cannot_open', to, 'this file already exists');
  let source: Connection | undefined;
  try {
    source = connect(file, { readOnly: true });
    // all pages in one step: a backup in several steps restarts with every write of another process
    await backup(source, to, { rate: -1 });
  } catch (error) {
    throw toSqliteError(error, file);
  } finally {
    source?.close();
  }
};
