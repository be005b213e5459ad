import {
  MongoBulkWriteError,
  MongoError,
  MongoInvalidArgumentError,
  MongoServerError,
} from 'mongodb';

/**
 * Every failure of the driver or the server: it may pass (`unavailable`), it remains until a person
 * acts (`unusable`), or one document can never be stored (`unstorable`).
 */
export class MongodbError extends Error {
  constructor(
    readonly fault: 'unavailable' | 'unusable' | 'unstorable',
    message: string,
    options?: ErrorOptions,
  ) {
    super(message, options);
    this.name = 'MongodbError';
  }
}

/** Translates an error of the driver or the server. Returns any other error unchanged. */
export const toMongodbError = (error: unknown): unknown => {
  if (isBeyondBuffer(error))
    return new MongodbError(
      'unstorable',
      `MongoDB cannot store this document, which exceeds the driver's buffer of 17 MB (${error.message})`,
      { cause: error },
    );
  if (!(error instanceof MongoError)) return error;
  if (concernsOneDocument(error))
    return failure('unstorable', 'MongoDB cannot store this document', error);
  if (lasting.has(Number(error.code)) || isRefusedLogin(error) || !isTransient(error))
    return failure('unusable', 'MongoDB rejected the operation', error);
  return failure('unavailable', 'MongoDB is unavailable', error);
};

const failure = (fault: MongodbError['fault'], what: string, cause: Error): MongodbError =>
  new MongodbError(fault, `${what}: ${withoutDocuments(cause.message)}`, { cause });

/** The server ends some messages with the command, document or key that it refused. */
const withoutDocuments = (message: string): string => message.replace(/\{[\s\S]*$/, '{…}');

const isTransient = (error: MongoError): boolean =>
  !(error instanceof MongoServerError) ||
  error instanceof MongoBulkWriteError ||
  passing.has(Number(error.code)) ||
  [
    'RetryableWriteError',
    'RetryableError',
    'TransientTransactionError',
    'SystemOverloadedError',
    'NoWritesPerformed',
  ].some((label) => error.hasErrorLabel(label));

/**
 * Whether the failure concerns one document. The driver checks sizes before it sends; in a bulk
 * write the server refuses each document separately.
 */
const concernsOneDocument = (error: MongoError): boolean => {
  if (error instanceof MongoInvalidArgumentError)
    return error.message.includes('larger than the maximum size');
  const writes = error instanceof MongoBulkWriteError ? [error.writeErrors].flat() : [];
  return [error.code, ...writes.map(({ code }) => code)].some((code) => tooLarge.has(Number(code)));
};

/**
 * Checks the code, not the class: where code runs in its own context (Jest), an error from Node
 * itself comes from another realm.
 */
const isBeyondBuffer = (error: unknown): error is Error =>
  typeof error === 'object' &&
  error !== null &&
  'code' in error &&
  error.code === 'ERR_OUT_OF_RANGE';

/** Too large: a document, a document after an update or an upsert, an index key. */
const tooLarge: ReadonlySet<number> = new Set([10334, 17419, 17420, 17280]);

/** The driver wraps a refused login in a connection error. */
const isRefusedLogin = (error: MongoError): boolean =>
  error.cause instanceof MongoError && lasting.has(Number(error.cause.code));

/** The codes for an unauthorized command and a refused login. */
const lasting: ReadonlySet<number> = new Set([13, 18, 8000]);

/**
 * Server errors that go away by themselves: elections, shutdowns, timeouts, killed queries,
 * conflicts, unmet write concerns, a full disk.
 */
const passing: ReadonlySet<number> = new Set([
  6, 7, 24, 43, 50, 63, 64, 79, 89, 91, 100, 112, 133, 134, 150, 175, 189, 202, 225, 234, 237, 239,
  246, 262, 290, 314, 317, 334, 384, 462, 9001, 10058, 10107, 11600, 11601, 11602, 13388, 13435,
  13436, 14031,
]);

/** Ignores the server's error of this code. */
export const ignoring =
  (code: number) =>
  (error: unknown): undefined => {
    if (!(error instanceof MongoServerError) || error.code !== code) throw error;
  };

/**
 * The indexes of the writes of an unordered bulk that failed because their keys already exist.
 * Throws the error if it says anything else.
 */
export const collidedIn = (error: unknown): ReadonlySet<number> => {
  if (!(error instanceof MongoBulkWriteError) || error.result.getWriteConcernError() !== undefined)
    throw error;
  const failed = [error.writeErrors].flat();
  if (failed.length === 0 || failed.some(({ code }) => code !== duplicateKey)) throw error;
  return new Set(failed.map(({ index }) => index));
};

export const namespaceNotFound = 26;
export const duplicateKey = 11000;
