/// <reference types="jest" />
import {
  exchangeRaw,
  type Problem,
  type RawResponse,
  type Service,
  type ServiceFactory,
  uniqueEmail,
  uniqueText,
} from '@refledger/testing';
import { itReads } from '../it-reads.js';

const expectRawProblem = (
  response: RawResponse | undefined,
  status: number,
  code: string,
): void => {
  const problem = JSON.parse(response?.text || '{}') as Partial<Problem>;
  expect([response?.status, problem.status, problem.code, problem.type]).toEqual([
    status,
    status,
    code,
    `/docs/errors#${code}`,
  ]);
  expect(response?.headers.get('content-type')).toMatch(/^application\/problem\+json/);
  expect([typeof problem.title, typeof problem.detail, problem.request_id]).toEqual([
    'string',
    'string',
    response?.headers.get('x-request-id'),
  ]);
  expect(problem.request_id).toMatch(/^[\x20-\x7e]{1,128}$/);
};

/** Tests that errors raised before a request has a route have the shape of a problem too. */
export const beforeRoutingSuite = (service: ServiceFactory): void => {
  describe('errors raised before routing', () => {
    let running: Service;
    beforeAll(async () => void (running = await service()));

    const send = async (head: string): Promise<RawResponse | undefined> =>
      (await exchangeRaw(running.baseUrl, Buffer.from(head, 'latin1')))[0];
    const get = (path: string, headers = ''): Promise<RawResponse | undefined> =>
      send(
        `GET ${path} HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer ${running.adminKey}\r\n${headers}\r\n`,
      );

    it.each([
      '/v1/affiliates/%zz',
      '/v1/affiliates/%',
      '/v1/affiliates/%E0%A4',
      '/%zz',
      '/docs/%c0%80',
      '/v1/conversions?external_transaction_id=%zz',
      '/v1/conversions?status=%ff',
    ])('invalid percent-encoding, %s: 400', async (path) => {
      expectRawProblem(await get(path), 400, 'bad_request');
    });

    it('a target in absolute form makes no difference: with a key, without one, and for an unknown path', async () => {
      expect((await get('http://x/v1/account'))?.status).toBe(200);
      for (const [method, path] of [
        ['GET', '/v1/account'],
        ['GET', '/v1/nowhere'],
        ['POST', '/v1/conversions'],
      ]) {
        expectRawProblem(
          await send(`${method} http://x${path} HTTP/1.1\r\nHost: x\r\nContent-Length: 0\r\n\r\n`),
          401,
          'unauthenticated',
        );
      }
    });

    it('a compressed body: 415; an unexpected body: 422', async () => {
      const body = (
        method: string,
        path: string,
        headers: string,
      ): Promise<RawResponse | undefined> =>
        send(
          `${method} ${path} HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer ${running.adminKey}\r\nContent-Type: application/json\r\n${headers}Content-Length: 7\r\n\r\n{"x":1}`,
        );
      expectRawProblem(
        await body('POST', '/v1/affiliates', 'Content-Encoding: gzip\r\n'),
        415,
        'unsupported_media_type',
      );
      expectRawProblem(await body('DELETE', '/v1/affiliates/aff_0', ''), 422, 'unknown_field');
    });

    it('an idempotency key sent twice: 422, even if both are equal', async () => {
      const body = JSON.stringify({ email: uniqueEmail(), name: 'Ada', program_id: 'prog_spring' });
      const enroll = (...keys: readonly string[]): Promise<RawResponse | undefined> =>
        send(
          `POST /v1/affiliates HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer ${running.adminKey}\r\nContent-Type: application/json\r\n${keys.map((key) => `Idempotency-Key: ${key}\r\n`).join('')}Content-Length: ${body.length}\r\n\r\n${body}`,
        );
      const key = uniqueText('key');
      for (const keys of [
        [key, key],
        [key, ''],
        [key, uniqueText('key')],
      ])
        expectRawProblem(await enroll(...keys), 422, 'validation_failed');
      expect([
        (await enroll(`${key}, ${key}`))?.status,
        (await enroll(`${key}, ${key}`))?.status,
      ]).toEqual([201, 200]);
    });

    it('a URL that is too long: 414', async () => {
      expectRawProblem(await get(`/v1/affiliates/${'a'.repeat(20_000)}`), 414, 'uri_too_long');
      expectRawProblem(
        await get(`/v1/affiliates?email=${'a'.repeat(20_000)}`),
        414,
        'uri_too_long',
      );
    });

    it('headers that are too large: 431', async () => {
      expectRawProblem(
        await get('/v1/account', `X-Large: ${'a'.repeat(100_000)}\r\n`),
        431,
        'headers_too_large',
      );
    });

    it.each([
      ['a broken request line', 'NONSENSE\r\n\r\n'],
      ['an unknown method', 'FETCH /v1/account HTTP/1.1\r\nHost: x\r\n\r\n'],
      ['an unknown version', 'GET /v1/account HTTP/9.9\r\nHost: x\r\n\r\n'],
      ['no Host', 'GET /v1/account HTTP/1.1\r\n\r\n'],
      ['a header without a name', 'GET /v1/account HTTP/1.1\r\nHost: x\r\n: y\r\n\r\n'],
      [
        'a bad Content-Length',
        'POST /v1/affiliates HTTP/1.1\r\nHost: x\r\nContent-Length: ten\r\n\r\n',
      ],
      [
        'a length given twice',
        'POST /v1/affiliates HTTP/1.1\r\nHost: x\r\nContent-Length: 2\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n',
      ],
      ['TLS to a port without TLS', '\x16\x03\x01\x02\x00\x01\x00\r\n\r\n'],
    ])('%s: 400', async (_name, head) => {
      expectRawProblem(await send(head), 400, 'bad_request');
    });

    it('a body that ends in the middle of a chunk causes no harm', async () => {
      const [response] = await exchangeRaw(
        running.baseUrl,
        `POST /v1/affiliates HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer ${running.adminKey}\r\nContent-Type: application/json\r\nTransfer-Encoding: chunked\r\n\r\nzz\r\n`,
      );
      expectRawProblem(response, 400, 'bad_request');
      expect((await get('/v1/account'))?.status).toBe(200);
    });

    itReads(service)('pipelined requests are answered in order', async () => {
      const one = (path: string): string =>
        `GET ${path} HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer ${running.adminKey}\r\nX-Request-Id: ${path}\r\n\r\n`;
      const paths = ['/v1/account', '/v1/nowhere', '/v1/conversions', '/health/live'];
      const responses = await exchangeRaw(running.baseUrl, paths.map(one).join(''), {
        responses: paths.length,
      });
      expect(responses.map(({ status, headers }) => [status, headers.get('x-request-id')])).toEqual(
        [
          [200, paths[0]],
          [404, paths[1]],
          [200, paths[2]],
          [200, paths[3]],
        ],
      );
    });
  });
};
