import type { Random } from '@refledger/testing';
import { copyFile, mkdir, readdir, rm } from 'node:fs/promises';
import { join } from 'node:path';

/**
 * Copies the files of a data directory one after another, in a random order, while a service may
 * write to them. Skips the lock and the socket.
 */
export const copyDirectory = async (from: string, to: string, random: Random): Promise<void> => {
  await mkdir(to, { recursive: true, mode: 0o700 });
  const names = (await readdir(from)).filter((name) => /\.db(-wal|-shm)?$|\.key$/.test(name));
  const order = names.map((name) => ({ name, at: random.next() })).toSorted((a, b) => a.at - b.at);
  // a file may disappear meanwhile, as a write-ahead log does once it is checkpointed
  for (const { name } of order)
    await copyFile(join(from, name), join(to, name)).catch(
      (error: NodeJS.ErrnoException) => error.code === 'ENOENT' || Promise.reject(error),
    );
};

export type DatabaseName = 'events' | 'read-models' | 'deliveries';

/** The files of one database: the database itself, its write-ahead log, and that log's index. */
export const filesOf = (
  directory: string,
  database: DatabaseName,
): Readonly<Record<'whole' | 'wal' | 'shm', string>> => {
  const whole = join(directory, `${database}.db`);
  return { whole, wal: `${whole}-wal`, shm: `${whole}-shm` };
};

export const removeDatabase = async (directory: string, database: DatabaseName): Promise<void> => {
  for (const file of Object.values(filesOf(directory, database))) await rm(file, { force: true });
};

/** Replaces the database of `directory` with the one of `from`. SQLite builds the index again. */
export const replaceDatabase = async (
  directory: string,
  database: DatabaseName,
  from: string,
): Promise<void> => {
  await removeDatabase(directory, database);
  const [sources, targets] = [filesOf(from, database), filesOf(directory, database)];
  for (const part of ['whole', 'wal'] as const)
    await copyFile(sources[part], targets[part]).catch(
      (error: NodeJS.ErrnoException) => error.code === 'ENOENT' || Promise.reject(error),
    );
};
