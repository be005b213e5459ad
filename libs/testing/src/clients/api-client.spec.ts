import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { ApiClient } from './api-client.js';
import { exchangeRaw } from './raw-client.js';

const problem = {
  type: '/docs/errors#not_found',
  title: 'Not found',
  status: 404,
  code: 'not_found',
  detail: 'no thing',
  request_id: 'r1',
};
const right = {
  'x-request-id': 'r1',
  'refledger-position': '7',
  ratelimit: '"default";r=5;t=60',
  'ratelimit-policy': '"default";q=6000;w=60',
};
const json = { ...right, 'content-type': 'application/json; charset=utf-8' };
const problemJson = { ...right, 'content-type': 'application/problem+json' };
const schema = (content: string, body: object) => ({ content: { [content]: { schema: body } } });
const document = {
  openapi: '3.1.0',
  info: { title: 't', version: '1' },
  paths: {
    '/v1/things/{id}': {
      get: {
        responses: {
          200: schema('application/json', { $ref: '#/components/schemas/Thing' }),
          404: { $ref: '#/components/responses/NotFound' },
        },
      },
    },
  },
  components: {
    schemas: {
      Thing: {
        type: 'object',
        properties: { name: { type: 'string' } },
        required: ['name'],
        additionalProperties: false,
      },
    },
    responses: {
      NotFound: schema('application/problem+json', { type: 'object', required: ['type'] }),
    },
  },
};
const cases: Record<string, readonly [number, object, string]> = {
  good: [200, json, '{"name":"n"}'],
  wrong: [200, json, '{"name":5}'],
  undocumented: [201, json, '{"name":"n"}'],
  missing: [404, problemJson, JSON.stringify(problem)],
  'plain-error': [404, json, JSON.stringify(problem)],
  'no-request-id': [200, { ...json, 'x-request-id': '' }, '{"name":"n"}'],
  'no-position': [200, { ...json, 'refledger-position': '' }, '{"name":"n"}'],
  'bad-limit': [200, { ...json, ratelimit: '5' }, '{"name":"n"}'],
};

describe('the client that checks responses against the contract', () => {
  let server: Server;
  let api: ApiClient;
  let baseUrl: string;
  beforeAll(async () => {
    server = createServer((request, response) => {
      const [status, headers, body] = cases[request.url?.split('/').at(-1) ?? ''] ?? [
        200,
        { 'x-request-id': 'r1', 'content-type': 'application/json' },
        JSON.stringify(document),
      ];
      response
        .writeHead(status, { ...headers, 'content-length': Buffer.byteLength(body) })
        .end(body);
    });
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    baseUrl = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
    api = await ApiClient.connect({ baseUrl }, 'key');
  });
  afterAll(
    () =>
      new Promise((resolve) => {
        server.closeAllConnections();
        server.close(resolve);
      }),
  );

  it('passes on conforming responses', async () => {
    expect((await api.get('/v1/things/good')).body).toEqual({ name: 'n' });
    expect((await api.get('/v1/things/missing')).body).toEqual(problem);
  });

  it.each([
    ['wrong', 'must be string'],
    ['undocumented', 'status 201 is not documented'],
    ['plain-error', 'not application/problem+json'],
    ['no-request-id', 'X-Request-Id'],
    ['no-position', 'Refledger-Position'],
    ['bad-limit', 'RateLimit is malformed'],
  ])('rejects a response that is %s', (name, fault) =>
    expect(api.get(`/v1/things/${name}`)).rejects.toThrow(fault),
  );

  it('reads pipelined responses from a raw socket', async () => {
    const one = 'GET /v1/things/good HTTP/1.1\r\nHost: x\r\n\r\n';
    const responses = await exchangeRaw(baseUrl, one + one.replace('good', 'missing'), {
      responses: 2,
    });
    expect(responses.map(({ status }) => status)).toEqual([200, 404]);
    expect(JSON.parse(responses[1]?.text ?? '')).toEqual(problem);
  });
});
