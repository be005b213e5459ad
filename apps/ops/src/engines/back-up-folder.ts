import { chmodSync, copyFileSync, existsSync, mkdirSync, rmSync } from 'node:fs';
import { basename, join, resolve } from 'node:path';
import type { Position } from '@refledger/contracts';
import { openSqliteEventLog } from '@refledger/event-log/sqlite';
import type { DataFolder } from '@refledger/platform';
import { copyDatabase } from '@refledger/sqlite';
import { UsageError } from '../exit-codes.js';
import { withOpen } from '../with-open.js';

export interface Backup {
  readonly files: readonly string[];
  /** The last position of the copied log. */
  readonly head: Position | undefined;
}

/** Copies a data folder that a service may be writing. Leaves nothing behind when it fails. */
export const backUpFolder = async (
  { events, deliveries, secretsKey, apiKey, moved }: DataFolder,
  target: string,
): Promise<Backup> => {
  const path = resolve(target);
  if (existsSync(path))
    throw new UsageError(`${target} is there already: name a folder to be made`);
  const umask = process.umask(0o077);
  try {
    mkdirSync(path, { recursive: true });
    // in this order: deliveries that are behind the log are made up for, those ahead of it would stop the webhook-dispatcher
    const databases = [deliveries, events].filter((file) => existsSync(file));
    for (const file of databases) await copyDatabase(file, join(path, basename(file)));
    // a copy of what was moved must not start in its checkpoint either
    const others = [secretsKey, apiKey, moved].filter((file) => existsSync(file));
    for (const file of others) {
      copyFileSync(file, join(path, basename(file)));
      chmodSync(join(path, basename(file)), 0o600);
    }
    const head = await withOpen(
      openSqliteEventLog({ file: join(path, basename(events)), mode: 'read' }),
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
