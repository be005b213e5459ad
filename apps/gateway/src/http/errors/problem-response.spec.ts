import { DomainError, problemSchema } from '@refledger/contracts';
import { EventLogError } from '@refledger/event-log';
import { KeyStoreError } from '@refledger/key-store';
import { ReadStoreError, ReadModelUnreadable } from '@refledger/read-store';
import type { Logger } from '@refledger/platform';
import { DeliveryStoreError } from '@refledger/delivery-store';
import { fastify } from 'fastify';
import { problemResponse, problemSender } from './problem-response.js';

const responseTo = (error: unknown) => problemResponse(error, 'request-1');

it('gives every error the same shape', () => {
  const { problem } = responseTo(
    new DomainError('conversion_exists', 'it is there', { conversion_id: 'conv_1' }),
  );
  expect(problemSchema.parse(problem)).toEqual({
    type: '/docs/errors#conversion_exists',
    title: 'Conversion exists',
    status: 409,
    code: 'conversion_exists',
    detail: 'it is there',
    request_id: 'request-1',
    conversion_id: 'conv_1',
  });
});

it.each([
  [new EventLogError({ kind: 'unavailable' }, 'disk full at /secret/path'), 503, 'unavailable'],
  [new EventLogError({ kind: 'unknown_outcome' }, 'cut'), 503, 'unavailable'],
  [new DeliveryStoreError('unavailable', 'gone'), 503, 'unavailable'],
  [new DeliveryStoreError('unusable', 'replaced'), 503, 'unavailable'],
  [new DeliveryStoreError('damaged', 'corrupt'), 503, 'unavailable'],
  [new KeyStoreError('unavailable', 'gone'), 503, 'unavailable'],
  [new KeyStoreError('damaged', 'lost the key at /secret/path'), 503, 'unavailable'],
  [new ReadStoreError('unavailable', 'away'), 503, 'unavailable'],
  [new ReadStoreError('unusable', 'corrupt'), 503, 'unavailable'],
  [new ReadModelUnreadable('conversions', undefined), 503, 'read_model_behind'],
  [Object.assign(new Error('x'), { code: 'FST_ERR_BAD_URL' }), 400, 'bad_request'],
  [
    Object.assign(new Error('x'), { code: 'FST_ERR_CTP_INVALID_MEDIA_TYPE' }),
    415,
    'unsupported_media_type',
  ],
  [new DomainError('too_many_imports', 'x'), 429, 'too_many_imports'],
  [new Error('password=hunter2 in /etc/x'), 500, 'internal'],
  ['a string', 500, 'internal'],
])('maps %s to %i %s', (error, status, code) => {
  const { problem, headers, cause } = responseTo(error);
  expect(problem).toMatchObject({ status, code });
  expect(problem.detail).not.toMatch(/hunter2|secret/);
  expect(headers['Retry-After']).toBe(status === 503 || status === 429 ? '1' : undefined);
  expect(cause).toBe(code === 'internal' || code === 'unavailable' ? error : undefined);
});

it('asks for a key as RFC 9110 requires', () => {
  expect(responseTo(new DomainError('unauthenticated', 'no key')).headers).toEqual({
    'WWW-Authenticate': 'Bearer',
  });
});

it('sends a sum exactly that no number can hold', async () => {
  const server = fastify();
  const send = problemSender({ error: jest.fn() } as Partial<Logger> as Logger);
  server.get('/', (request, reply) => {
    const payable = -9_007_199_254_740_993n;
    send(
      new DomainError('nothing_payable', 'x', { payable, next_payable_on: null }),
      request,
      reply,
    );
  });
  const { body } = await server.inject('/');
  expect(body).toContain('"payable":-9007199254740993,');
  await server.close();
});
