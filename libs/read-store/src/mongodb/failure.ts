import {
  MongoBulkWriteError,
  MongoError,
  MongoInvalidArgumentError,
  MongoServerError,
} from 'mongodb';

/** What went wrong with a server: it may be better the next time (`unavailable`), someone has to do something (`unusable`), or it never takes this document (`unstorable`). */
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

/** An error of the driver or the server in these words; undefined for what is neither's. */
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

/** The driver looks at sizes before it sends; of many writes the server refuses each for itself. */
const isOfADocument = (error: MongoError): boolean => {
  if (error instanceof MongoInvalidArgumentError)
    return error.message.includes('larger than the maximum size');
  const writes = error instanceof MongoBulkWriteError ? [error.writeErrors].flat() : [];
  return [error.code, ...writes.map(({ code }) => code)].some((code) => tooLarge.has(Number(code)));
};

/** Told by its code, not by its class: an error of Node itself is of another realm where code runs in a context of its own (Jest). */
const isBeyondBuffer = (error: unknown): error is Error =>
  typeof error === 'object' &&
  error !== null &&
  'code' in error &&
  error.code === 'ERR_OUT_OF_RANGE';

/** A document, a document after an update or an upsert, a key of an index. */
const tooLarge: ReadonlySet<number> = new Set([10334, 17419, 17420, 17280]);

/** The driver wraps a refused login into an error of its connection. */
const isRefusedLogin = (error: MongoError): boolean =>
  error.cause instanceof MongoError && lasting.has(Number(error.cause.code));

/** Not authorised, login refused. */
const lasting: ReadonlySet<number> = new Set([13, 18, 8000]);

/** Server errors that pass by themselves: elections, shutdowns, timeouts, killed queries, conflicts, write concerns not met, a full disk. */
const passing: ReadonlySet<number> = new Set([
  6, 7, 24, 43, 50, 63, 64, 79, 89, 91, 100, 112, 133, 134, 150, 175, 189, 202, 225, 234, 237, 239,
  246, 262, 290, 314, 317, 334, 384, 462, 9001, 10058, 10107, 11600, 11601, 11602, 13388, 13435,
  13436, 14031,
]);
