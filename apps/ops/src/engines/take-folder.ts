import { existsSync } from 'node:fs';
import type { DataFolder } from '@refledger/platform';
import { FolderLocked, lockFolder, type FolderLock } from '@refledger/sqlite';
import { Unreachable } from '../exit-codes.js';

/**
 * Throws `Unreachable` when the folder has no log, so that a mistyped folder does not become a new,
 * empty one.
 */
export const requireLog = ({ events, path }: DataFolder): void => {
  if (!existsSync(events))
    throw new Unreachable(
      `there is no event log in ${path}: name the service's data folder with --data-dir or DATA_DIR`,
    );
};

/** Locks the folder. Throws `Unreachable`, naming the lock's holder, when it is locked. */
export const takeFolder = ({ path }: DataFolder): FolderLock => {
  try {
    return lockFolder(path);
  } catch (error) {
    if (!(error instanceof FolderLocked)) throw error;
    throw new Unreachable(
      `${error.message}, and it takes no commands: a service that is starting or stopping does not yet or no longer, so try again; another ops command may be at work`,
      { cause: error },
    );
  }
};
