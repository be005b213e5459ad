import { existsSync } from 'node:fs';
import { basename } from 'node:path';
import { isEventLogError } from '@refledger/event-log';
import { openSqliteEventLog } from '@refledger/event-log/sqlite';
import type { DataFolder } from '@refledger/platform';

/**
 * Throws `LogMissing` for a folder whose stores were made from a log that is gone, or empty because
 * its write-ahead log is gone. Otherwise a new log would begin silently, and every acknowledged
 * write would be lost without a notice. The log is created before any store, so no crash leaves a
 * folder like this.
 */
export const refuseMissingLog = async (folder: DataFolder): Promise<void> => {
  const stores = [folder.readModels, folder.deliveries]
    .filter((file) => existsSync(file))
    .map((file) => basename(file));
  if (stores.length === 0) return;
  try {
    await (await openSqliteEventLog({ file: folder.events, mode: 'read' })).close();
  } catch (error) {
    // The service opens the log next, and that reports any other error.
    if (isEventLogError(error, 'unavailable'))
      throw new LogMissing(
        `${folder.events} holds no event log, but ${stores.join(' and ')} beside it were made from one: put the log back, events.db-wal with it, or move the others away to begin anew`,
      );
  }
};

export class LogMissing extends Error {
  override readonly name = 'LogMissing';
}
