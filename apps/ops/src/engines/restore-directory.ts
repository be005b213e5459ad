import { CommandHandler } from '@refledger/application';
import { streams, type BackupPoint } from '@refledger/contracts';
import { logDecider } from '@refledger/domain';
import { embeddedUrls, type DataDirectory } from '@refledger/engines';
import { openEventLog, type EventLog } from '@refledger/event-log';
import { readBackupPoint, refuseMoved, takeOriginalsPlace } from '@refledger/operator';
import { UsageError } from '../exit-codes.js';
import { withOpen } from '../with-open.js';
import type { RestoreResult } from './engines.js';
import { requireLog, withDirectory } from './take-directory.js';

/**
 * Says that a directory, a backup, has taken the original's place. `send` asks the running service
 * to do so, and resolves to undefined when none runs. A directory that has no marker any more is as
 * it should be: the command may be repeated after a crash. Throws `UsageError` for a directory that
 * is no backup.
 */
export const restoreDirectory = async (
  directory: DataDirectory,
  send: () => Promise<boolean | undefined>,
): Promise<RestoreResult> => {
  requireLog(directory);
  const backup = readBackupPoint(directory);
  // even without a marker: the service may not know yet that it is gone
  const isNew = await send();
  if (backup === undefined)
    return { backup: await restoredBefore(directory), isNew: false, served: false };
  if (isNew !== undefined) return { backup, isNew, served: true };
  return {
    backup,
    isNew: await withDirectory(directory, () => {
      refuseMoved(directory);
      return withLog(directory, 'write', (log) =>
        takeOriginalsPlace(new CommandHandler(log), directory),
      );
    }),
    served: false,
  };
};

/** The backup whose restoration the log records. */
const restoredBefore = async (directory: DataDirectory): Promise<BackupPoint> => {
  const { state } = await withLog(directory, 'read', (log) =>
    new CommandHandler(log).load(logDecider, streams.log),
  );
  if (state.restored !== undefined) return state.restored;
  throw new UsageError(
    `${directory.path} is not a backup that ops backup made, so it sends webhooks already. There is nothing to do.`,
  );
};

const withLog = <T>(
  { path }: DataDirectory,
  mode: 'read' | 'write',
  work: (log: EventLog) => Promise<T>,
): Promise<T> => withOpen(openEventLog(embeddedUrls.EVENT_LOG_URL, { dataDir: path, mode }), work);
