import { existsSync } from 'node:fs';
import { basename } from 'node:path';
import { isEventLogError } from '@refledger/event-log';
import { openSqliteEventLog } from '@refledger/event-log/sqlite';
import type { DataFolder } from '@refledger/platform';

/**
 * Refuses a folder whose stores were made from a log that is gone, or empty because its write-ahead log is gone: a new log would begin in silence, and
 * everything that was acknowledged would look as if it had never been. The log is made before any store, so no crash leaves a folder like this.
 */
export const refuseMissingLog = async (folder: DataFolder): Promise<void> => {
  const stores = [folder.readModels, folder.deliveries]
    .filter((file) => existsSync(file))
    .map((file) => basename(file));
  if (stores.length === 0) return;
  try {
    await (await openSqliteEventLog({ file: folder.events, mode: 'read' })).close();
  } catch (error) {
    // anything else is said by the opening that follows
    if (isEventLogError(error, 'unavailable'))
      throw new LogMissing(
        `${folder.events} holds no event log, but ${stores.join(' and ')} beside it were made from one: put the log back, events.db-wal with it, or move the others away to begin anew`,
      );
  }
};

export class LogMissing extends Error {
  override readonly name = 'LogMissing';
}
