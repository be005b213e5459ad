import { existsSync } from 'node:fs';
import type { DataFolder } from '@refledger/engines';
import { FolderLocked, lockFolder, type FolderLock } from '@refledger/sqlite';
import { Unreachable } from '../exit-codes.js';

/**
 * Throws `Unreachable` when the directory has no log, so that a mistyped directory does not become
 * a new, empty one.
 */
export const requireLog = ({ events, path }: DataFolder): void => {
  if (!existsSync(events))
    throw new Unreachable(
      `there is no event log in ${path}. Name the service's data directory with --data-dir or DATA_DIR.`,
    );
};

/**
 * Runs work while the directory is locked. Throws `Unreachable` when the directory has no log or,
 * naming the lock's holder, when it is locked already.
 */
export const withFolder = async <T>(folder: DataFolder, work: () => Promise<T>): Promise<T> => {
  requireLog(folder);
  const lock = takeFolder(folder);
  try {
    return await work();
  } finally {
    lock.release();
  }
};

const takeFolder = ({ path }: DataFolder): FolderLock => {
  try {
    return lockFolder(path);
  } catch (error) {
    if (!(error instanceof FolderLocked)) throw error;
    throw new Unreachable(
      `${error.message}, which accepts no commands. If the service is starting or stopping, or another ops command is running, try again.`,
      { cause: error },
    );
  }
};
