import { open } from 'node:fs/promises';
import { join } from 'node:path';
import { eventSchemaVersion, logFormat } from '@refledger/contracts';

/** The formats in which a release records what is never rebuilt. */
export interface FormatIds {
  /** Of the log, as its first event names it, and of the data of its events. */
  readonly log: number;
  readonly event_schema: number;
  /** Of each database file: its `application_id` and its number of migrations. */
  readonly files: Readonly<Record<string, string>>;
}

/** Reads the formats of a data directory that a service of this build has written. */
export const formatIdsOf = async (dataDir: string): Promise<FormatIds> => ({
  log: logFormat,
  event_schema: eventSchemaVersion,
  files: Object.fromEntries(
    await Promise.all(
      keptDatabases.map(async (name) => [name, await headerOf(join(dataDir, name))] as const),
    ),
  ),
});

/** The databases that hold what is never rebuilt. */
const keptDatabases = ['events.db', 'deliveries.db', 'personal-keys.db'] as const;

/** The ids are in the header of an SQLite file (https://www.sqlite.org/fileformat.html). */
const headerOf = async (path: string): Promise<string> => {
  const file = await open(path);
  try {
    const { buffer } = await file.read(Buffer.alloc(100), 0, 100, 0);
    return `${buffer.toString('latin1', 68, 72)} ${buffer.readUInt32BE(60)}`;
  } finally {
    await file.close();
  }
};
