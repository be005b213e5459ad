import { chmodSync, copyFileSync, existsSync, mkdirSync, rmSync } from 'node:fs';
import { basename, join, resolve } from 'node:path';
import type { Position } from '@refledger/contracts';
import { embeddedUrls, type DataFolder } from '@refledger/engines';
import { openEventLog } from '@refledger/event-log';
import { copyDatabase } from '@refledger/sqlite';
import { UsageError } from '../exit-codes.js';
import { withOpen } from '../with-open.js';

/** The result of a backup: the names of the copied files, and the head of the copied log. */
export interface Backup {
  readonly files: readonly string[];
  readonly head: Position | undefined;
}

/** Copies a data folder, even while a service writes to it. Removes the copy if it fails. */
export const backUpFolder = async (
  { events, deliveries, secretsKey, apiKey, moved }: DataFolder,
  target: string,
): Promise<Backup> => {
  const path = resolve(target);
  if (existsSync(path))
    throw new UsageError(`${target} already exists. Name a folder that does not.`);
  const umask = process.umask(0o077);
  try {
    mkdirSync(path, { recursive: true });
    // Copy deliveries before the log: the dispatcher catches up when deliveries are behind the log,
    // but would stop if they were ahead of it.
    const databases = [deliveries, events].filter((file) => existsSync(file));
    for (const file of databases) await copyDatabase(file, join(path, basename(file)));
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
    return { files: [...databases, ...others].map((file) => basename(file)), head };
  } catch (error) {
    rmSync(path, { recursive: true, force: true });
    throw error;
  } finally {
    process.umask(umask);
  }
};
