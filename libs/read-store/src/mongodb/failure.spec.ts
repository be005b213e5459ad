import { MongoNetworkError, MongoServerError, MongoWriteConcernError } from 'mongodb';
import { MongodbFailure, toMongodbFailure } from './failure.js';

const server = (code: number, labels: readonly string[] = []) => {
  const error = new MongoServerError({ message: `error ${code}`, code });
  for (const label of labels) error.addErrorLabel(label);
  return error;
};

it.each([
  ['a cut connection', new MongoNetworkError('connection closed'), 'unavailable'],
  ['an election', server(10107, ['RetryableWriteError']), 'unavailable'],
  ['a server that is shutting down', server(91), 'unavailable'],
  ['a write that no majority has', new MongoWriteConcernError({ ok: 1, writeConcernError: { code: 64, errmsg: 'waiting for replication timed out' } }), 'unavailable'],
  ['a full disk', server(14031), 'unavailable'],
  ['a refused login', server(18), 'unusable'],
  ['a user without the right', server(13), 'unusable'],
  ['an index that is not there', server(2), 'unusable'],
])('%s is %s', (_, error, kind) => expect(toMongodbFailure(error)).toMatchObject({ kind, cause: error }));

it('finds a refused login within the error of a connection', () => {
  const wrapped = new MongoNetworkError('connection refused', { cause: server(18) });
  expect(toMongodbFailure(wrapped)?.kind).toBe('unusable');
});

it('leaves mistakes of the program alone, and failures as they are', () => {
  expect(toMongodbFailure(new TypeError('no index'))).toBeUndefined();
  const failure = new MongodbFailure('unusable', 'so');
  expect(toMongodbFailure(failure)).toBe(failure);
});
