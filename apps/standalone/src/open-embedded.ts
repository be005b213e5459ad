import { once } from 'node:events';
import { existsSync } from 'node:fs';
import { createServer } from 'node:net';
import { basename } from 'node:path';
import { openKeysOfLog } from '@refledger/application';
import {
  dataDirectory,
  makeDataDirectory,
  type DataDirectory,
  type Engines,
} from '@refledger/engines';
import { isEventLogError, openEventLog } from '@refledger/event-log';
import { refuseMoved } from '@refledger/operator';
import type { Config, Metrics } from '@refledger/platform';
import { openReadStore } from '@refledger/read-store';
import { lockDirectory } from '@refledger/sqlite';
import { embeddedSecretBox } from './embedded-secret-box.js';

/**
 * Creates and locks the data directory, and opens its engines for the main thread. Closing them
 * releases the lock.
 */
export const openEmbedded = async (
  config: Config,
  { metrics, onCrash }: { readonly metrics: Metrics; readonly onCrash: (error: Error) => void },
) => {
  const directory = dataDirectory(config.dataDir);
  // Check the ports first, so that a start that fails because of its port leaves nothing behind.
  if (!existsSync(directory.path))
    for (const port of [config.http.port, config.opsPort ?? 0])
      await checkFreeAddress(port, config.http.host);
  // Only this user may read the files that are created here, including SQLite's.
  process.umask(0o077);
  makeDataDirectory(directory);
  const lock = lockDirectory(directory.path);
  refuseMoved(directory);
  await refuseMissingLog(directory, config.engines);
  const { eventLogUrl, readStoreUrl, keyStoreUrl: url } = config.engines;
  const log = await openEventLog(eventLogUrl, {
    dataDir: directory.path,
    mode: 'write',
    onGroup: ({ events, commitMs }) => {
      metrics.appendBatchEvents.observe(events);
      metrics.appendBatchSeconds.observe(commitMs / 1_000);
    },
    onCrash,
  });
  const dataDir = directory.path;
  const secretBox = await embeddedSecretBox(config, directory);
  const keyStore = await openKeysOfLog(log, { url, dataDir, onCrash });
  const store = await openReadStore(readStoreUrl, { dataDir, mode: 'read' });
  return {
    directory,
    log,
    store,
    keyStore,
    secretBox,
    close: async () => {
      await store.close();
      await keyStore.close();
      await log.close();
      lock.release();
    },
  };
};

/** Throws the error of `listen` when the service cannot listen on this address now. */
const checkFreeAddress = async (port: number, host: string): Promise<void> => {
  const server = createServer().listen(port, host);
  await once(server, 'listening');
  server.close();
  await once(server, 'close');
};

/**
 * Throws `LogMissing` for a folder whose stores were made from a log that is gone, or empty because
 * its write-ahead log is gone. Otherwise a new log would begin silently, and every acknowledged
 * write would be lost without notice. The log is created before any store, so no crash leaves a
 * folder like this.
 */
const refuseMissingLog = async (
  directory: DataDirectory,
  { eventLogUrl }: Pick<Engines, 'eventLogUrl'>,
): Promise<void> => {
  const stores = [directory.readModels, directory.deliveries, directory.personalKeys]
    .filter((file) => existsSync(file))
    .map((file) => basename(file));
  if (stores.length === 0) return;
  try {
    await (await openEventLog(eventLogUrl, { dataDir: directory.path, mode: 'read' })).close();
  } catch (error) {
    // The service opens the log next, and that reports any other error.
    if (isEventLogError(error, 'unavailable'))
      throw new LogMissing(
        `${directory.events} contains no event log, but ${listed(stores)} beside it came from one. Restore the log with its events.db-wal, or move the other files away to start with an empty log.`,
      );
  }
};

/** `a`, `a and b`, or `a, b and c`. */
const listed = (names: readonly string[]): string =>
  [names.slice(0, -1).join(', '), ...names.slice(-1)].filter((part) => part !== '').join(' and ');

class LogMissing extends Error {
  override readonly name = 'LogMissing';
}
