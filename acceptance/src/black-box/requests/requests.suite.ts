/// <reference types="jest" />
import {
  type Affiliate,
  affiliateBody,
  type ApiClient,
  conversionBody,
  expectStatus,
  type ServiceFactory,
  TestAccount,
  unknownId,
} from '@refledger/testing';
import { expectIssues, expectProblem } from '../expect-problem.js';
import { itReads } from '../it-reads.js';

/** Tests the rules for every request: content type, size, fields, path, method. */
export const requestsSuite = (service: ServiceFactory): void => {
  let account: TestAccount;
  let api: ApiClient;
  let affiliate: Affiliate;
  const prepare = async (): Promise<void> => {
    account ??= await TestAccount.open(await service());
    api = account.api;
    affiliate ??= await account.affiliate();
  };

  describe('the content type', () => {
    beforeAll(prepare);
    const post = (contentType?: string) =>
      api.send('POST', '/v1/affiliates', {
        body: JSON.stringify(affiliateBody()),
        headers: { ...(contentType !== undefined && { 'content-type': contentType }) },
      });

    it.each([
      'application/json',
      'application/json; charset=utf-8',
      'application/json;charset=UTF-8',
      'Application/JSON',
    ])('%s is accepted', async (type) => {
      expectStatus(201, await post(type));
    });

    it.each([
      'text/plain',
      'application/x-www-form-urlencoded',
      'multipart/form-data; boundary=x',
      'application/xml',
      'application/jsonp',
      'application/merge-patch+json',
      'application/json-patch+json',
      'nonsense',
      undefined,
    ])('%s is rejected with 415', async (type) => {
      expectProblem(await post(type), 415, 'unsupported_media_type');
    });

    it.each([
      'application/merge-patch+json',
      'application/merge-patch+json; charset=utf-8',
      'application/json-patch+json',
    ])('%s is rejected on a PATCH with what to send instead', async (type) => {
      const path = `/v1/affiliates/${affiliate.id}`;
      const body = JSON.stringify({ metadata: { source: null } });
      const headers = { 'content-type': type };
      const { detail } = expectProblem(
        await api.send('PATCH', path, { body, headers }),
        415,
        'unsupported_media_type',
      );
      expect(detail).toMatch(
        /replaces the whole value, also objects such as metadata and terms\. Send .* as Content-Type: application\/json\.$/,
      );
      expect((await api.get(path)).body).toEqual(affiliate);
    });

    it('is optional on a DELETE without a body', async () => {
      for (const headers of [
        { 'content-type': 'application/json' },
        { 'content-type': 'application/json; charset=utf-8' },
        {},
      ])
        expectStatus(
          204,
          await api.delete(`/v1/affiliates/${(await account.affiliate()).id}`, { headers }),
        );
    });

    it.each(['test', 'rotate-secret', `deliveries/${unknownId('dlv')}/redeliver`])(
      'is optional on a POST that needs no body: %s',
      async (action) => {
        for (const headers of [{ 'content-type': 'application/json' }, {}])
          expectProblem(
            await api.send('POST', `/v1/webhooks/${unknownId('whe')}/${action}`, { headers }),
            404,
            'not_found',
          );
      },
    );

    itReads(service)('is allowed on a GET', async () => {
      expectStatus(
        200,
        await api.get('/v1/affiliates', { headers: { 'content-type': 'application/json' } }),
      );
    });
  });

  describe('the body', () => {
    beforeAll(prepare);
    const post = (body: string | Buffer | (() => AsyncGenerator<Buffer>)) =>
      api.send('POST', '/v1/affiliates', { body, headers: { 'content-type': 'application/json' } });
    const padded = (bytes: number): string => {
      const body = JSON.stringify(affiliateBody());
      return body.slice(0, -1) + ' '.repeat(bytes - body.length) + '}';
    };
    const inChunks = (text: string) =>
      async function* () {
        for (let at = 0; at < text.length; at += 10_000)
          yield await Promise.resolve(Buffer.from(text.slice(at, at + 10_000)));
      };

    it('has at most 65,536 bytes, with a Content-Length or in chunks', async () => {
      expectStatus(201, await post(padded(65_536)));
      expectProblem(await post(padded(65_537)), 413, 'payload_too_large');
      expectStatus(201, await post(inChunks(padded(65_536))));
      expectProblem(await post(inChunks(padded(65_537))), 413, 'payload_too_large');
    });

    it('is counted in bytes, not in characters', async () => {
      expectProblem(
        await post(JSON.stringify({ name: '€'.repeat(30_000) })),
        413,
        'payload_too_large',
      );
    });

    it.each([
      '{',
      '{"name":}',
      '{"name":"a",}',
      "{'name':'a'}",
      'name',
      '{"a":1} {"b":2}',
      '\uFEFFx',
      '{"a":"\t"}',
      'NaN',
    ])('must be JSON, which %s is not', async (body) => {
      expectProblem(await post(body), 400, 'malformed_json');
    });

    it.each([
      ['{"name":"a","name":"b"}', '/name'],
      ['{"name":"a","n\\u0061me":"a"}', '/name'],
      ['{"metadata":{"source":"a","source":"b"}}', '/metadata/source'],
      ['{"unknown":[{"x":[0,{"y":1,"y":1}]}]}', '/unknown/0/x/1/y'],
    ])('must not have a key twice, as %s has', async (body, path) => {
      const problem = expectProblem(await post(body), 400, 'malformed_json');
      expect(problem).toMatchObject({
        detail: `The body has the key ${path} twice. Send each key once.`,
        errors: [{ path, code: 'duplicate_key' }],
      });
    });

    it('may have the same key in several objects, and colons and quotes in texts', async () => {
      const body = affiliateBody({
        name: '"name": "a", {"x":1}',
        metadata: { name: '\\":"', source: '{"source":1,"source":2}' },
      });
      const { name, metadata } = body;
      expect(expectStatus(201, await post(JSON.stringify(body)))).toMatchObject({ name, metadata });
    });

    it('must be UTF-8', async () => {
      const body = Buffer.from(
        JSON.stringify(affiliateBody({ name: 'Zoe' })).replace('Zoe', 'Zo\u00eb'),
        'latin1',
      );
      expect([400, 422]).toContain((await post(body)).status);
    });

    it.each(['[]', '"text"', '5', 'null', 'true', '[{}]'])(
      'must be an object, which %s is not',
      async (body) => {
        expectProblem(await post(body), 422, 'validation_failed');
      },
    );

    it('must be present', async () => {
      expect([400, 415, 422]).toContain((await api.send('POST', '/v1/affiliates')).status);
      expectProblem(await post(''), 400, 'malformed_json');
    });
  });

  describe('an unknown field or parameter', () => {
    beforeAll(prepare);

    it('is rejected and named in every body', async () => {
      expectIssues(
        await api.post('/v1/affiliates', affiliateBody({ emial: 'x' })),
        'unknown_field',
        ['/emial'],
      );
      expectIssues(
        await api.post('/v1/conversions', conversionBody(affiliate.id, { a: 1, b: 2 })),
        'unknown_field',
        ['/a', '/b'],
      );
      expectIssues(
        await api.patch(`/v1/affiliates/${affiliate.id}`, { 'sl/ash': 1 }),
        'unknown_field',
        ['/sl~1ash'],
      );
      expectIssues(
        await api.post('/v1/webhooks/subscribe', {
          target_url: 'http://example.com/',
          events: ['affiliate.created'],
          evnts: [],
        }),
        'unknown_field',
        ['/evnts'],
      );
      expectIssues(
        await api.post('/v1/api-keys', { name: 'k', scope: 'read', expires: 1 }),
        'unknown_field',
        ['/expires'],
      );
    });

    it('is rejected in the query of lists, single records and writes', async () => {
      expectIssues(await api.get('/v1/affiliates?limt=3'), 'unknown_field', ['limt']);
      expectIssues(await api.get(`/v1/affiliates/${affiliate.id}?expand=x`), 'unknown_field', [
        'expand',
      ]);
      expectIssues(await api.post('/v1/affiliates?dry_run=1', affiliateBody()), 'unknown_field', [
        'dry_run',
      ]);
      expectIssues(await api.get('/v1/account?x=1'), 'unknown_field', ['x']);
      expectIssues(await api.get('/v1/conversions?email=a@b'), 'unknown_field', ['email']);
      expectIssues(await api.get('/v1/webhooks?status=enabled'), 'unknown_field', ['status']);
    });

    it('is listed among all other issues of a request', async () => {
      expectIssues(
        await api.post('/v1/conversions', {
          affiliate_id: affiliate.id,
          sale_amount: 1.5,
          currency: 'USD',
        }),
        'validation_failed',
        ['/sale_amount', '/sale_currency', '/currency'],
      );
      expectIssues(
        await api.get('/v1/conversions?limit=0&sort=name&nonsense=1&status=lost'),
        'validation_failed',
        ['limit', 'sort', 'nonsense', 'status'],
      );
    });
  });

  describe('the path and the method', () => {
    beforeAll(prepare);

    itReads(service)('ignores a trailing slash', async () => {
      for (const path of [
        '/v1/affiliates/',
        `/v1/affiliates/${affiliate.id}/`,
        '/v1/account/',
        '/v1/affiliates/?limit=1',
      ])
        expectStatus(200, await api.get(path));
      expectStatus(201, await api.post('/v1/affiliates/', affiliateBody()));
      expectProblem(await api.send('PUT', '/v1/affiliates/'), 405, 'method_not_allowed');
    });

    itReads(service)('answers HEAD where GET works, with its headers', async () => {
      for (const path of [
        '/v1/affiliates',
        `/v1/affiliates/${affiliate.id}`,
        `/v1/affiliates/${affiliate.id}/stats`,
        '/v1/webhooks',
        '/v1/account',
        '/openapi.json',
        '/health/live',
      ]) {
        const [head, get] = [await api.send('HEAD', path), await api.get(path)];
        expect([
          path,
          head.status,
          head.text,
          head.header('content-type'),
          head.header('etag'),
        ]).toEqual([path, 200, '', get.header('content-type'), get.header('etag')]);
      }
      expect((await api.send('HEAD', '/v1/affiliates/aff_unknown')).status).toBe(404);
    });

    it.each([
      ['/v1/conversions', 'PUT', ['GET', 'HEAD', 'POST']],
      ['/v1/affiliates', 'DELETE', ['GET', 'HEAD', 'POST']],
      ['/v1/webhooks/subscribe', 'GET', ['DELETE', 'POST']],
      ['/v1/webhooks/subscribe', 'HEAD', ['DELETE', 'POST']],
      ['/v1/affiliates/aff_1', 'POST', ['DELETE', 'GET', 'HEAD', 'PATCH']],
      ['/v1/conversions/conv_1', 'DELETE', ['GET', 'HEAD', 'PATCH']],
      ['/v1/account', 'PATCH', ['GET', 'HEAD']],
      ['/v1/affiliates/aff_1/stats', 'POST', ['GET', 'HEAD']],
      ['/v1/affiliates', 'OPTIONS', ['GET', 'HEAD', 'POST']],
      ['/v1/affiliates', 'PROPFIND', ['GET', 'HEAD', 'POST']],
    ])('%s rejects %s and names the allowed methods', async (path, method, allowed) => {
      const response = await api.send(method, path);
      expect(response.status).toBe(405);
      expect(
        response
          .header('allow')
          ?.split(/\s*,\s*/)
          .toSorted(),
      ).toEqual(allowed);
      if (method !== 'HEAD') expectProblem(response, 405, 'method_not_allowed');
    });

    it.each([
      '/v1/nowhere',
      '/v1',
      '/v1/conversion',
      '/v1/conversions/a/b/c',
      '/v1/affiliates/aff_1/nothing',
      '/V1/affiliates',
      '/v1/Affiliates',
    ])('%s is not found', async (path) => {
      expectProblem(await api.get(path), 404, 'not_found');
    });

    it.each([
      'nonsense',
      'aff_',
      'AFF_0',
      'a'.repeat(300),
      '%F0%9F%8E%88',
      '..%2f..%2fetc',
      "'%20or%201=1",
      'aff_%00',
    ])('an id such as %s is not found', async (id) => {
      expectProblem(await api.get(`/v1/affiliates/${id}`), 404, 'not_found');
      expectProblem(
        await api.patch(`/v1/conversions/${id}`, { status: 'approved' }),
        404,
        'not_found',
      );
    });
  });
};
