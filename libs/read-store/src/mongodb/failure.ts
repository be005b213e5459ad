import {
  MongoBulkWriteError,
  MongoError,
  MongoInvalidArgumentError,
  MongoServerError,
} from 'mongodb';

/**
 * A failure of a server. It may pass (`unavailable`), somebody has to fix it (`unusable`), or the
 * server can never store this document (`unstorable`).
 */
export class MongodbFailure extends Error {
  constructor(
    readonly kind: 'unavailable' | 'unusable' | 'unstorable',
    message: string,
    options?: ErrorOptions,
  ) {
    super(message, options);
    this.name = 'MongodbFailure';
  }
}

/** Converts an error of the driver or the server; undefined for any other error. */
export const toMongodbFailure = (error: unknown): MongodbFailure | undefined => {
  if (error instanceof MongodbFailure) return error;
  if (isBeyondBuffer(error))
    return new MongodbFailure(
      'unstorable',
      `MongoDB can't store this: it is larger than the driver's buffer of 17 MB (${error.message})`,
      { cause: error },
    );
  if (!(error instanceof MongoError)) return undefined;
  if (isOfADocument(error))
    return new MongodbFailure('unstorable', `MongoDB can't store this: ${error.message}`, {
      cause: error,
    });
  if (lasting.has(Number(error.code)) || isRefusedLogin(error))
    return new MongodbFailure('unusable', `MongoDB refuses: ${error.message}`, { cause: error });
  return isPassing(error)
    ? new MongodbFailure('unavailable', `MongoDB is away: ${error.message}`, { cause: error })
    : new MongodbFailure('unusable', `MongoDB refuses: ${error.message}`, { cause: error });
};

const isPassing = (error: MongoError): boolean =>
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
 * Whether the failure concerns one document. The driver checks sizes before it sends; in a bulk the
 * server refuses each write separately.
 */
const isOfADocument = (error: MongoError): boolean => {
  if (error instanceof MongoInvalidArgumentError)
    return error.message.includes('larger than the maximum size');
  const writes = error instanceof MongoBulkWriteError ? [error.writeErrors].flat() : [];
  return [error.code, ...writes.map(({ code }) => code)].some((code) => tooLarge.has(Number(code)));
};

/**
 * Checks the code, not the class: where code runs in its own context (Jest), an error of Node
 * itself comes from another realm.
 */
const isBeyondBuffer = (error: unknown): error is Error =>
  typeof error === 'object' &&
  error !== null &&
  'code' in error &&
  error.code === 'ERR_OUT_OF_RANGE';

/** Too large: a document, a document after an update or an upsert, an index key. */
const tooLarge: ReadonlySet<number> = new Set([10334, 17419, 17420, 17280]);

/** The driver wraps a refused login into an error of its connection. */
const isRefusedLogin = (error: MongoError): boolean =>
  error.cause instanceof MongoError && lasting.has(Number(error.cause.code));

/** The codes for an unauthorized command and a refused login. */
const lasting: ReadonlySet<number> = new Set([13, 18, 8000]);

/**
 * Server errors that pass by themselves: elections, shutdowns, timeouts, killed queries, conflicts,
 * unmet write concerns, a full disk.
 */
const passing: ReadonlySet<number> = new Set([
  6, 7, 24, 43, 50, 63, 64, 79, 89, 91, 100, 112, 133, 134, 150, 175, 189, 202, 225, 234, 237, 239,
  246, 262, 290, 314, 317, 334, 384, 462, 9001, 10058, 10107, 11600, 11601, 11602, 13388, 13435,
  13436, 14031,
]);
