import {
  MongoBulkWriteError,
  MongoInvalidArgumentError,
  MongoNetworkError,
  MongoServerError,
  MongoWriteConcernError,
} from 'mongodb';
import { MongodbError, toMongodbError } from './mongodb-error.js';

const server = (code: number, labels: readonly string[] = []) => {
  const error = new MongoServerError({ message: `error ${code}`, code });
  for (const label of labels) error.addErrorLabel(label);
  return error;
};

/** A bulk write of two documents that failed with these codes. */
const bulk = (...codes: readonly number[]) => {
  const writeErrors = codes.map((code, index) => ({
    index,
    code,
    errmsg: `error ${code}`,
    op: {},
  }));
  return Object.assign(
    new MongoBulkWriteError({ message: 'bulk', code: codes[0] ?? 0, writeErrors: [] }, {} as never),
    { writeErrors },
  );
};

it.each([
  ['a cut connection', new MongoNetworkError('connection closed'), 'unavailable'],
  ['an election', server(10107, ['RetryableWriteError']), 'unavailable'],
  ['a server that is shutting down', server(91), 'unavailable'],
  [
    'a write that no majority has acknowledged',
    new MongoWriteConcernError({
      ok: 1,
      writeConcernError: { code: 64, errmsg: 'waiting for replication timed out' },
    }),
    'unavailable',
  ],
  ['a full disk', server(14031), 'unavailable'],
  ['a refused login', server(18), 'unusable'],
  ['a user without permission', server(13), 'unusable'],
  ['an index that does not exist', server(2), 'unusable'],
  ['a document that is too large', server(10334), 'unstorable'],
  ['a document that an update makes too large', bulk(17419), 'unstorable'],
  [
    'a key that is too long for its index, after a document that already exists',
    bulk(11000, 17280),
    'unstorable',
  ],
  ['documents that already exist', bulk(11000, 11000), 'unavailable'],
  [
    'a document that the driver sees is too large',
    new MongoInvalidArgumentError('Document is larger than the maximum size 16777216'),
    'unstorable',
  ],
  [
    "a document beyond the driver's buffer",
    Object.assign(new RangeError('out of range'), { code: 'ERR_OUT_OF_RANGE' }),
    'unstorable',
  ],
  [
    'another argument that the driver refuses',
    new MongoInvalidArgumentError('limit must be a number'),
    'unavailable',
  ],
])('%s is %s', (_, error, fault) =>
  expect(toMongodbError(error)).toMatchObject({ fault, cause: error }),
);

it('omits the document or command that the server quotes', () => {
  const message =
    'not authorized on db to execute command { find: "a", filter: { email: "jane" } }';
  expect(toMongodbError(new MongoServerError({ message, code: 13 }))).toMatchObject({
    message: 'MongoDB rejected the operation: not authorized on db to execute command {…}',
  });
});

it('finds a rejected login within a connection error', () => {
  const wrapped = new MongoNetworkError('connection refused', { cause: server(18) });
  expect(toMongodbError(wrapped)).toMatchObject({ fault: 'unusable' });
});

it('passes on programming errors and known failures unchanged', () => {
  for (const error of [new TypeError('no index'), new MongodbError('unusable', 'so')])
    expect(toMongodbError(error)).toBe(error);
});
