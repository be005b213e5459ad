import { chmodSync, copyFileSync, existsSync, mkdirSync, readdirSync, rmSync } from 'node:fs';
import { basename, dirname, join, resolve } from 'node:path';
import { CommandHandler, openKeyReaderOfLog, recordedKeyStore } from '@refledger/application';
import { isObject, toInstant, type BackupPoint } from '@refledger/contracts';
import { dataDirectory, embeddedUrls, type DataDirectory } from '@refledger/engines';
import { messageOf, openEventLog, type EventLog } from '@refledger/event-log';
import { readBackupMarker, writeBackupMarker } from '@refledger/operator';
import { copyDatabase, SqliteError, syncDirectory } from '@refledger/sqlite';
import { Unreachable, UsageError } from '../exit-codes.js';
import { withOpen } from '../with-open.js';

/** The result of a backup: the names of the copied files, and the head of the copied log. */
export interface Backup {
  readonly files: readonly string[];
  readonly head: string;
}

/**
 * Copies a data directory, even while a service writes to it, until the signal aborts. Removes the
 * copy if it fails. The copy has a backup marker from before its first file until after its last,
 * so that no crash leaves a copy that sends.
 */
export const backUpDirectory = async (
  source: DataDirectory,
  target: string,
  signal: Pick<AbortSignal, 'throwIfAborted'>,
): Promise<Backup> => {
  const path = resolve(target);
  const umask = process.umask(0o077);
  try {
    makeNew(path, target);
    return await copyInto(dataDirectory(path), source, signal).catch(async (error: unknown) => {
      await removeCopy(dataDirectory(path));
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
      throw new UsageError(`${target} already exists. Name a directory that does not.`);
    throw new Unreachable(
      `${target} cannot be created: ${messageOf(error)}. Name another directory.`,
    );
  }
};

const copyInto = async (
  target: DataDirectory,
  source: DataDirectory,
  signal: Pick<AbortSignal, 'throwIfAborted'>,
): Promise<Backup> => {
  const { path } = target;
  // A backup of a backup differs from the original from where the first one ends.
  const earlier = readBackupMarker(source);
  const time = toInstant(Date.now());
  await writeBackupMarker(target, { position: null, event_id: null, time });
  const databases = await copyDatabases(path, source, signal);
  await requireKeys(source);
  // Copy the migration marker too: the copy of a directory that was moved must not start either.
  const others = [source.secretsKey, source.apiKey, source.moved].filter((file) =>
    existsSync(file),
  );
  for (const file of others) {
    copyFileSync(file, join(path, basename(file)));
    chmodSync(join(path, basename(file)), 0o600);
  }
  const end = await withOpen(
    openEventLog(embeddedUrls.EVENT_LOG_URL, { dataDir: path, mode: 'read' }),
    endOf,
  );
  signal.throwIfAborted();
  await writeBackupMarker(target, earlier ?? { ...end, time });
  const files = [target.backup, ...databases, ...others].map((file) => basename(file));
  return { files, head: end.position };
};

/**
 * Throws `KeyStoreError` if the directory lacks the key store that its log names: without it, the
 * copy would be no backup.
 */
const requireKeys = ({ path }: DataDirectory): Promise<void> =>
  withOpen(
    openEventLog(embeddedUrls.EVENT_LOG_URL, { dataDir: path, mode: 'read' }),
    async (log) => {
      const commands = new CommandHandler(log);
      if ((await recordedKeyStore(commands)) === undefined) return;
      const url = embeddedUrls.KEY_STORE_URL;
      await (await openKeyReaderOfLog(log, { url, dataDir: path })).close();
    },
  );

/** Returns the files that it has copied. */
const copyDatabases = async (
  path: string,
  { deliveries, events, personalKeys }: DataDirectory,
  signal: Pick<AbortSignal, 'throwIfAborted'>,
): Promise<readonly string[]> => {
  // Copy deliveries before the log: the dispatcher catches up when deliveries are behind the log,
  // but would stop if they were ahead of it. Copy the keys after the log: a key is stored before the
  // first event that needs it.
  const adviceOn = (file: string): string =>
    ({ [deliveries]: moveAway, [personalKeys]: restoreKeys })[file] ?? restore;
  const databases = [deliveries, events, personalKeys].filter((file) => existsSync(file));
  for (const file of databases) {
    signal.throwIfAborted();
    await copyDatabase(file, join(path, basename(file))).catch((error: unknown) => {
      if (!(error instanceof SqliteError) || error.fault !== 'corrupt') throw error;
      throw new Unreachable(`${error.message}. ${adviceOn(file)}`);
    });
  }
  return databases;
};

/** The position and the id of the last event in a log. */
const endOf = async (log: EventLog): Promise<Pick<BackupPoint, 'position' | 'event_id'>> => {
  const position = await log.head();
  const event = position && (await log.eventAt(position));
  if (event === undefined) throw new Unreachable('the copied log has no event. Back up again.');
  return { position: event.position, event_id: event.id };
};

/** Removes the copy, and its marker last. */
const removeCopy = async ({ path, backup }: DataDirectory): Promise<void> => {
  for (const name of readdirSync(path))
    if (name !== basename(backup)) rmSync(join(path, name), { recursive: true, force: true });
  await syncDirectory(path);
  rmSync(path, { recursive: true, force: true });
};

const moveAway =
  'Stop the service, and move this file with its -wal and -shm out of the data directory: the backup is made without it.';
const restoreKeys =
  'Stop the service and restore this file from the latest backup: without it, personal data cannot be read.';
const restore =
  'Restore the data directory from an earlier backup: nothing else can replace this file.';
