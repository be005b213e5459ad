import { randomUUID } from 'node:crypto';
import type { MessagePort } from 'node:worker_threads';
import { toInstant } from '@refledger/contracts';
import { canonicalPath, openDatabase, toSqliteError, ChangeNotifier } from '@refledger/sqlite';
import type { EncodedAppend } from '../encode-append.js';
import type { OpenEventLogOptions } from '../open-event-log-options.js';
import { opening } from '../opening.js';
import { AppendQueue } from './append-queue.js';
import { eventLogFormat } from './event-log.format.js';
import { asEventLogError } from './failure.js';
import { SqliteEventLog, type OwnedWriter } from './sqlite-event-log.js';
import { StreamChanges } from './stream-changes.js';
import { startWriter } from './writer-thread.js';

export interface SqliteEventLogOptions extends Omit<OpenEventLogOptions, 'dataDir'> {
  readonly file: string;
}

/**
 * Opens a log. In mode `write`, creates it when it does not exist; take the directory's lock first,
 * so that no second process writes to it. Throws an `EventLogError` that names the file:
 * `unavailable` when there is nothing to read yet, `unusable` when the file is not a log that this
 * release can use.
 */
export const openSqliteEventLog = async (
  options: SqliteEventLogOptions,
): Promise<SqliteEventLog> => {
  const file = canonicalPath(options.file);
  if (options.mode === 'read') return openHandle(file, options, undefined);
  if (options.writer !== undefined) return openHandle(file, options, options.writer);
  const changes = new StreamChanges();
  const writer = await startWriter(
    { file, opening: newOpening(), changes: changes.memory },
    options.onCrash ?? (() => undefined),
  );
  try {
    return openHandle(file, options, writer.port(), { writer, changes });
  } catch (error) {
    await writer.close();
    throw error;
  }
};

const newOpening = (): EncodedAppend =>
  opening({ logId: randomUUID(), eventId: randomUUID(), recordedAt: toInstant(Date.now()) });

const openHandle = (
  file: string,
  { onGroup = () => undefined }: SqliteEventLogOptions,
  port: MessagePort | undefined,
  owned?: OwnedWriter,
): SqliteEventLog => {
  let db;
  let notifier;
  try {
    db = openDatabase(file, {
      format: eventLogFormat,
      readOnly: true,
      synchronous: 'full',
      cacheBytes: 8 * 1024 * 1024,
    });
    notifier = new ChangeNotifier(file);
    return new SqliteEventLog({
      db,
      notifier,
      owned,
      appends: port && new AppendQueue(port, file, onGroup),
    });
  } catch (error) {
    notifier?.close();
    db?.close();
    throw asEventLogError(toSqliteError(error, file));
  }
};
