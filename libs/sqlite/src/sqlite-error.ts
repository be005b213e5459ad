/** The problem with a database file, by the caller's remedy. */
export type SqliteErrorKind =
  /** Another connection or process holds it. A later attempt may succeed. */
  | 'busy'
  /** The disk is full. Nothing of the transaction was written. */
  | 'full'
  /** The disk or the file system failed. */
  | 'io'
  /** The file or its directory may not be written. */
  | 'read_only'
  /** The file can't be opened: not allowed, a directory, no such directory. */
  | 'cannot_open'
  /** The file does not exist, and it was opened for reading. */
  | 'absent'
  /** The file is damaged, or is no SQLite database. */
  | 'corrupt'
  /** The database belongs to another program, or has a format from before the first release. */
  | 'foreign'
  /** The file was written by a newer release. */
  | 'newer'
  /**
   * The file is from an older release and was opened for reading. Opening it once for writing
   * migrates it.
   */
  | 'older'
  /** A value or a row is larger than SQLite can store. */
  | 'too_big'
  /** A constraint of the schema rejected a row. */
  | 'constraint'
  /** The connection is already closed. */
  | 'closed'
  /** A programming error (bad SQL, a bad parameter). */
  | 'other';

/** Every failure of a database file. The message names the file. */
export class SqliteError extends Error {
  /**
   * True when a COMMIT failed but may still have reached the disk. Otherwise nothing was written.
   */
  maybeWritten = false;

  constructor(
    readonly fault: SqliteErrorKind,
    readonly file: string,
    detail: string,
    options?: ErrorOptions,
  ) {
    super(`${file}: ${detail}`, options);
    this.name = 'SqliteError';
  }

  /** Whether a later attempt may succeed. */
  get isTransient(): boolean {
    return ['busy', 'full', 'io', 'closed'].includes(this.fault);
  }
}

/** Translates a driver's error into a `SqliteError`. Returns any other error unchanged. */
export const toSqliteError = (error: unknown, file: string): unknown => {
  if (error instanceof SqliteError || !isDriverError(error)) return error;
  if (error.code === 'ERR_INVALID_STATE')
    return new SqliteError('closed', file, 'the connection is closed', { cause: error });
  const code = error.errcode ?? codesByText.get(error.message) ?? 1;
  const [fault, meaning] =
    primaryCodes.get(code & 0xff) ?? (['other', 'SQLite rejected the operation'] as const);
  return new SqliteError(fault, file, `${meaning} (${error.message}, code ${code})`, {
    cause: error,
  });
};

type DriverError =
  | { readonly code: 'ERR_INVALID_STATE'; readonly message: string }
  | { readonly code: 'ERR_SQLITE_ERROR'; readonly errcode?: number; readonly message: string };

/**
 * Checks the code and not the class: the driver's errors come from another realm when code runs in
 * a context of its own (Jest).
 */
const isDriverError = (error: unknown): error is DriverError =>
  typeof error === 'object' &&
  error !== null &&
  'code' in error &&
  (error.code === 'ERR_INVALID_STATE' || error.code === 'ERR_SQLITE_ERROR');

/** SQLite's primary result codes (https://sqlite.org/rescode.html). */
const primaryCodes = new Map<number, readonly [SqliteErrorKind, string]>([
  [3, ['cannot_open', 'access is not permitted']],
  [5, ['busy', 'another connection or process has locked this file']],
  [6, ['busy', 'another statement has locked a table of this file']],
  [8, ['read_only', 'this file or its directory is not writable']],
  [10, ['io', 'reading or writing this file failed']],
  [11, ['corrupt', 'this file is corrupt']],
  [13, ['full', 'the disk that holds this file is full']],
  [14, ['cannot_open', 'this file cannot be opened, or its directory is not writable']],
  [15, ['busy', 'locking this file failed']],
  [18, ['too_big', 'a value or a row exceeds the limit of SQLite']],
  [19, ['constraint', 'a constraint was violated']],
  [22, ['io', 'this file is too large for its file system']],
  [23, ['cannot_open', 'access is not permitted']],
  [26, ['corrupt', 'this is not a SQLite database']],
]);

/**
 * Codes by SQLite's own text (sqlite3_errstr), for errors for which the driver omits the code
 * (1.2.1 does so for a statement's `all`).
 */
const codesByText = new Map([
  ['database is locked', 5],
  ['database table is locked', 6],
  ['attempt to write a readonly database', 8],
  ['disk I/O error', 10],
  ['database disk image is malformed', 11],
  ['database or disk is full', 13],
  ['unable to open database file', 14],
  ['string or blob too big', 18],
  ['locking protocol', 15],
  ['file is not a database', 26],
]);
