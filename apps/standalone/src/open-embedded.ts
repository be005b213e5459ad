import { existsSync } from 'node:fs';
import {
  openSqliteEventLog,
  type GroupStatistics,
  type SqliteEventLog,
} from '@refledger/event-log/sqlite';
import {
  checkFreeAddress,
  dataFolder,
  makeDataFolder,
  refuseMoved,
  type Config,
  type DataFolder,
  type Metrics,
} from '@refledger/platform';
import type { ReadStore } from '@refledger/read-store';
import { openSqliteReadStore } from '@refledger/read-store/sqlite';
import { lockFolder } from '@refledger/sqlite';
import { refuseMissingLog } from './log-missing.js';

/** The embedded engines of a data folder that this process has locked. */
export interface EmbeddedEngines {
  readonly folder: DataFolder;
  readonly log: SqliteEventLog;
  readonly store: ReadStore;
  /** Closes both engines and releases the folder's lock. */
  close(): Promise<void>;
}

/** Creates and locks the data folder, and opens its engines for the main thread. */
export const openEmbedded = async (
  config: Config,
  { metrics, onCrash }: { readonly metrics: Metrics; readonly onCrash: (error: Error) => void },
): Promise<EmbeddedEngines> => {
  const folder = dataFolder(config.dataDir);
  // Check the ports first, so that a start that fails for its port leaves nothing behind.
  if (!existsSync(folder.path))
    for (const port of [config.http.port, config.opsPort ?? 0])
      await checkFreeAddress(port, config.http.host);
  // Only this user may read the files that are created here, including SQLite's.
  process.umask(0o077);
  makeDataFolder(folder);
  const lock = lockFolder(folder.path);
  refuseMoved(folder);
  await refuseMissingLog(folder);
  const onGroup = ({ events, commitMs }: GroupStatistics): void => {
    metrics.appendBatchEvents.observe(events);
    metrics.appendBatchSeconds.observe(commitMs / 1_000);
  };
  const log = await openSqliteEventLog({ file: folder.events, mode: 'write', onGroup, onCrash });
  const store = await openSqliteReadStore({ file: folder.readModels, mode: 'read' });
  return {
    folder,
    log,
    store,
    close: async () => {
      await store.close();
      await log.close();
      lock.release();
    },
  };
};
