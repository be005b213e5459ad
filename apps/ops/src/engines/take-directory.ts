import { existsSync } from 'node:fs';
import type { DataDirectory } from '@refledger/engines';
import { DirectoryLocked, lockDirectory, type DirectoryLock } from '@refledger/sqlite';
import { Unreachable } from '../exit-codes.js';

/**
 * Throws `Unreachable` when the directory has no log, so that a mistyped directory does not become
 * a new, empty one.
 */
export const requireLog = ({ events, path }: DataDirectory): void => {
  if (!existsSync(events))
    throw new Unreachable(
      `there is no event log in ${path}. Name the service's data directory with --data-dir or DATA_DIR.`,
    );
};

/**
 * Runs work while the directory is locked. Throws `Unreachable` when the directory has no log or,
 * naming the lock's holder, when it is locked already.
 */
export const withDirectory = async <T>(
  directory: DataDirectory,
  work: () => Promise<T>,
): Promise<T> => {
  requireLog(directory);
  const lock = takeDirectory(directory);
  try {
    return await work();
  } finally {
    lock.release();
  }
};

const takeDirectory = ({ path }: DataDirectory): DirectoryLock => {
  try {
    return lockDirectory(path);
  } catch (error) {
    if (!(error instanceof DirectoryLocked)) throw error;
    throw new Unreachable(
      `${error.message}, which accepts no commands. If the service is starting or stopping, or another ops command is running, try again.`,
      { cause: error },
    );
  }
};
