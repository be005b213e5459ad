import { chmodSync, copyFileSync, existsSync, mkdirSync, rmSync } from 'node:fs';
import { basename, dirname, join, resolve } from 'node:path';
import { isObject, type Position } from '@refledger/contracts';
import { embeddedUrls, type DataFolder } from '@refledger/engines';
import { messageOf, openEventLog } from '@refledger/event-log';
import { copyDatabase, SqliteError } from '@refledger/sqlite';
import { Unreachable, UsageError } from '../exit-codes.js';
import { withOpen } from '../with-open.js';

/** The result of a backup: the names of the copied files, and the head of the copied log. */
export interface Backup {
  readonly files: readonly string[];
  readonly head: Position | undefined;
}

/**
 * Copies a data folder, even while a service writes to it, until the signal aborts. Removes the copy
 * if it fails.
 */
export const backUpFolder = async (
  source: DataFolder,
  target: string,
  signal: AbortSignal,
): Promise<Backup> => {
  const path = resolve(target);
  const umask = process.umask(0o077);
  try {
    makeNew(path, target);
    return await copyInto(path, source, signal).catch((error: unknown) => {
      rmSync(path, { recursive: true, force: true });
      throw error;
    });
  } finally {
    process.umask(umask);
  }
};

/** Fails if anything has this name, even a link to nothing: only what is new may be removed. */
const makeNew = (path: string, target: string): void => {
  let isParentThere = false;
  try {
    mkdirSync(dirname(path), { recursive: true });
    isParentThere = true;
    mkdirSync(path);
  } catch (error) {
    if (isParentThere && isObject(error) && error['code'] === 'EEXIST')
      throw new UsageError(`${target} already exists. Name a folder that does not.`);
    throw new Unreachable(`${target} cannot be created: ${messageOf(error)}. Name another folder.`);
  }
};

const copyInto = async (
  path: string,
  { events, deliveries, secretsKey, apiKey, moved }: DataFolder,
  signal: AbortSignal,
): Promise<Backup> => {
  // Copy deliveries before the log: the dispatcher catches up when deliveries are behind the log,
  // but would stop if they were ahead of it.
  const databases = [deliveries, events].filter((file) => existsSync(file));
  for (const file of databases) {
    signal.throwIfAborted();
    await copyDatabase(file, join(path, basename(file))).catch((error: unknown) => {
      if (!(error instanceof SqliteError) || error.fault !== 'corrupt') throw error;
      throw new Unreachable(`${error.message}. ${file === deliveries ? moveAway : restore}`);
    });
  }
  // Copy the migration marker too: the copy of a folder that was moved must not start either.
  const others = [secretsKey, apiKey, moved].filter((file) => existsSync(file));
  for (const file of others) {
    copyFileSync(file, join(path, basename(file)));
    chmodSync(join(path, basename(file)), 0o600);
  }
  const head = await withOpen(
    openEventLog(embeddedUrls.EVENT_LOG_URL, { dataDir: path, mode: 'read' }),
    (log) => log.head(),
  );
  signal.throwIfAborted();
  return { files: [...databases, ...others].map((file) => basename(file)), head };
};

const moveAway =
  'Stop the service, and move this file with its -wal and -shm out of the data folder: the backup is made without it.';
const restore =
  'Restore the data folder from an earlier backup: nothing else can replace this file.';
