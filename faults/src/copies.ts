import type { Random } from '@refledger/testing';
import { copyFile, mkdir, open, readdir, rm, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { isDeepStrictEqual } from 'node:util';

/**
 * Copies the files of a data directory while a service may write to them: one database or key after
 * another, in a random order, and the files of a database in a random order too. The key store comes
 * last, as in a backup: it must have every key that the copied log needs. Skips the socket.
 */
export const copyDirectory = async (from: string, to: string, random: Random): Promise<void> => {
  await mkdir(to, { recursive: true, mode: 0o700 });
  const names = (await readdir(from)).filter((name) => /\.db(-wal|-shm)?$|\.key$/.test(name));
  const shuffled = <T>(all: readonly T[]): T[] =>
    all
      .map((one) => ({ one, at: random.next() }))
      .toSorted((a, b) => a.at - b.at)
      .map(({ one }) => one);
  const isKeyStore = (name: string): boolean => name === 'personal-keys.db';
  const mains = shuffled(names.filter((name) => !/-(wal|shm)$/.test(name)));
  for (const main of mains.toSorted((a, b) => Number(isKeyStore(a)) - Number(isKeyStore(b)))) {
    const files = shuffled(names.filter((name) => name.startsWith(main)));
    await copyUnchanged(join(from, main), () => copyFiles(from, to, files));
  }
};

/**
 * Copies until the database stayed the same meanwhile. It changes when its write-ahead log is copied
 * into it and begins again, and no crash leaves the file from before that with the log from after
 * it.
 */
const copyUnchanged = async (database: string, copy: () => Promise<void>): Promise<void> => {
  for (let attempt = 0; attempt < 1_000; attempt++) {
    const begun = Date.now();
    const before = await versionOf(database);
    await copy();
    const after = await versionOf(database);
    // times of files are only as exact as the kernel's clock ticks
    if (before.mtimeMs < begun - 50 && isDeepStrictEqual(before, after)) return;
  }
  throw new Error(`${database} changes all the time`);
};

/** The time of the last change of the file, and the header of its write-ahead log. */
const versionOf = async (database: string) => {
  const { mtimeMs } = await stat(database);
  const log = await open(`${database}-wal`).catch(orMissing);
  if (log === undefined) return { mtimeMs };
  try {
    return { mtimeMs, header: (await log.read(Buffer.alloc(32), 0, 32, 0)).buffer };
  } finally {
    await log.close();
  }
};

/** A write-ahead log may disappear meanwhile. */
const orMissing = (error: NodeJS.ErrnoException): undefined => {
  if (error.code !== 'ENOENT') throw error;
};

const copyFiles = async (from: string, to: string, names: readonly string[]): Promise<void> => {
  for (const name of names) {
    await rm(join(to, name), { force: true });
    await copyFile(join(from, name), join(to, name)).catch(orMissing);
  }
};

export type DatabaseName = 'events' | 'read-models' | 'deliveries' | 'personal-keys';

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
    await copyFile(sources[part], targets[part]).catch(orMissing);
};
