import { existsSync, realpathSync } from 'node:fs';
import { basename, dirname, join, resolve } from 'node:path';
import { connect, type Database } from './connection.js';
import { SqliteError, toSqliteError } from './sqlite-error.js';
import { transaction } from './transaction.js';

/** The format of one of Refledger's database files. */
export interface DatabaseFormat {
  /** The name in messages, such as `event log`. */
  readonly name: string;
  /** SQLite's application_id: a number above 0 that no other format uses. */
  readonly applicationId: number;
  /** The application_ids of formats from before the first release. Such files are refused. */
  readonly earlierApplicationIds?: readonly number[];
  /**
   * SQL that brings a file from version n (its index in the list, 0 for an empty file) to n + 1.
   * Only ever append to this list.
   */
  readonly migrations: readonly string[];
}

/** How to open a database file. */
export interface OpenOptions {
  readonly format: DatabaseFormat;
  /**
   * Opens a connection that can't write. The file must exist. The connection also sees what other
   * processes write.
   */
  readonly readOnly?: boolean;
  /**
   * `full`: a commit is on disk when it returns. `normal`: the last commits may be lost when the
   * machine (not the process) fails.
   */
  readonly synchronous: 'full' | 'normal';
  /** How long a statement waits for another connection's lock, default 5 seconds. */
  readonly busyTimeoutMs?: number;
  /** Maximum memory for pages of the file, default 2 MB. */
  readonly cacheBytes?: number;
}

/**
 * Opens one of Refledger's database files in write-ahead mode. When opened for writing, creates or
 * migrates its schema. Refuses any other file, without changing it, with a `SqliteError` that names
 * it. A crash at any instruction leaves a file that opens.
 *
 * After `close()` the driver keeps the file's descriptors until the connection's statements are
 * garbage collected, and so does not checkpoint the write-ahead log into the file. Run `PRAGMA
 * wal_checkpoint(TRUNCATE)` first to get one whole file.
 */
export const openDatabase = (path: string, options: OpenOptions): Database => {
  const file = canonicalPath(path);
  if (options.readOnly === true && !existsSync(file))
    throw new SqliteError('absent', file, `there is no ${options.format.name} here yet`);
  let db: Database | undefined;
  try {
    db = opened(file, options);
    const version = checkedVersion(db, options);
    configure(db, options);
    if (version < options.format.migrations.length) migrate(db, options);
    return db;
  } catch (error) {
    db?.close();
    throw toSqliteError(error, file);
  }
};

/** Returns the same path for a file, however it is spelled. The file itself need not exist. */
export const canonicalPath = (path: string): string => {
  const absolute = resolve(path);
  if (existsSync(absolute)) return realpathSync(absolute);
  const directory = dirname(absolute);
  return existsSync(directory) ? join(realpathSync(directory), basename(absolute)) : absolute;
};

const opened = (
  file: string,
  { readOnly = false, busyTimeoutMs = defaultTimeoutMs }: OpenOptions,
): Database =>
  Object.assign(connect(file, { readOnly, timeout: busyTimeoutMs, defensive: true }), { file });

const configure = (
  db: Database,
  { readOnly = false, synchronous, cacheBytes, busyTimeoutMs = defaultTimeoutMs }: OpenOptions,
): void => {
  if (!readOnly) {
    useWriteAheadLog(db, busyTimeoutMs);
    db.exec(`PRAGMA synchronous = ${synchronous}`);
    db.exec('PRAGMA journal_size_limit = 67108864');
  }
  if (cacheBytes !== undefined) db.exec(`PRAGMA cache_size = -${Math.ceil(cacheBytes / 1024)}`);
};

const defaultTimeoutMs = 5_000;

/** SQLite itself does not wait while another connection makes the same change to a new file. */
const useWriteAheadLog = (db: Database, timeoutMs: number): void => {
  const deadline = performance.now() + timeoutMs;
  const pausing = new Int32Array(new SharedArrayBuffer(4));
  for (;;) {
    try {
      return db.exec('PRAGMA journal_mode = WAL');
    } catch (error) {
      const known = toSqliteError(error, db.file);
      const isBusy = known instanceof SqliteError && known.fault === 'busy';
      if (!isBusy || performance.now() >= deadline) throw known;
    }
    Atomics.wait(pausing, 0, 0, 5);
  }
};

/**
 * The schema's version in the file; throws when this release can't use the file. Writes nothing, so
 * that a foreign file stays as it is.
 */
const checkedVersion = (db: Database, { format, readOnly = false }: OpenOptions): number => {
  const header = headerOf(db);
  assertOwnFormat(db, header, format);
  if (readOnly) requireCurrent(db, header, format);
  return header.version;
};

/** Refuses another program's file, one of an earlier format, and one of a later release. */
const assertOwnFormat = (
  db: Database,
  { applicationId, version, isEmpty }: Header,
  format: DatabaseFormat,
): void => {
  if (format.earlierApplicationIds?.includes(applicationId) === true) {
    throw new SqliteError(
      'foreign',
      db.file,
      `this ${format.name} has an earlier format, from before the first release. Start with an empty directory.`,
    );
  }
  if (!isEmpty && applicationId !== format.applicationId) {
    throw new SqliteError(
      'foreign',
      db.file,
      `this SQLite database is not a Refledger ${format.name}: its application_id is ${applicationId}, not ${format.applicationId}. Use another file or directory.`,
    );
  }
  if (version > format.migrations.length) {
    throw new SqliteError(
      'newer',
      db.file,
      `this ${format.name} was written by a newer release (version ${version}; this release knows ${format.migrations.length}). Start that release, or a later one.`,
    );
  }
};

/** Refuses a file whose schema must first be created or migrated, which a reader can't do. */
const requireCurrent = (
  db: Database,
  { version, isEmpty }: Header,
  format: DatabaseFormat,
): void => {
  if (isEmpty)
    throw new SqliteError(
      'absent',
      db.file,
      `there is no ${format.name} here yet (the file is empty)`,
    );
  if (version < format.migrations.length) {
    throw new SqliteError(
      'older',
      db.file,
      `this ${format.name} is from an older release (version ${version} of ${format.migrations.length}). Start the service once to migrate it.`,
    );
  }
};

/**
 * Migrates in one transaction, and checks the version again in it, because another process may have
 * been faster.
 */
const migrate = (db: Database, options: OpenOptions): void =>
  transaction(db, () => {
    const { applicationId, migrations } = options.format;
    for (const sql of migrations.slice(checkedVersion(db, options))) db.exec(sql);
    db.exec(`PRAGMA application_id = ${applicationId}`);
    db.exec(`PRAGMA user_version = ${migrations.length}`);
  });

/** The facts in a file's header. */
interface Header {
  readonly applicationId: number;
  readonly version: number;
  readonly isEmpty: boolean;
}

/** One statement, since another process may migrate the file between two. */
const header = `
  SELECT application_id, user_version, (SELECT count(*) FROM sqlite_schema) AS tables
  FROM pragma_application_id, pragma_user_version`;

const headerOf = (db: Database): Header => {
  const row = db.prepare<HeaderRow>(header).get();
  const { application_id = 0, user_version = 0, tables = 0 } = row ?? {};
  return {
    applicationId: application_id,
    version: user_version,
    isEmpty: application_id === 0 && user_version === 0 && tables === 0,
  };
};

interface HeaderRow {
  readonly application_id: number;
  readonly user_version: number;
  readonly tables: number;
}
