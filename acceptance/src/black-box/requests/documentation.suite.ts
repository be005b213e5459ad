/// <reference types="jest" />
import {
  type ApiResponse,
  ApiClient,
  expectStatus,
  OpenApiCheck,
  type OpenApiDocument,
  type ServiceFactory,
} from '@refledger/testing';
import { expectProblem } from '../expect-problem.js';

/** Every problem code of the contract, by status. */
const codes: readonly (readonly [number, readonly string[]])[] = [
  [400, ['malformed_json', 'bad_request']],
  [401, ['unauthenticated']],
  [403, ['insufficient_scope']],
  [404, ['not_found']],
  [405, ['method_not_allowed']],
  [
    409,
    [
      'conversion_exists',
      'affiliate_exists',
      'affiliate_erased',
      'program_exists',
      'adjustment_exists',
      'nothing_payable',
      'payout_hold',
      'below_minimum',
      'too_many_open_payouts',
      'too_many_ranges',
      'payouts_open',
      'payee_unusable',
      'currency_not_supported',
      'payee_changed',
      'invalid_transition',
      'rotation_in_progress',
      'replay_in_progress',
      'last_admin_key',
      'too_many_revisions',
    ],
  ],
  [412, ['revision_mismatch']],
  [413, ['payload_too_large']],
  [414, ['uri_too_long']],
  [415, ['unsupported_media_type']],
  [
    422,
    [
      'validation_failed',
      'unknown_field',
      'immutable_field',
      'affiliate_not_found',
      'affiliate_not_active',
      'program_not_found',
      'program_not_active',
      'target_not_allowed',
      'target_exists',
      'idempotency_key_reused',
      'too_many_endpoints',
    ],
  ],
  [428, ['precondition_required']],
  [429, ['rate_limited', 'too_many_imports', 'too_many_exports', 'too_many_tests']],
  [431, ['headers_too_large']],
  [500, ['internal']],
  [503, ['unavailable', 'read_model_behind', 'ledger_behind']],
];
const operations = [
  'GET /v1/conversions',
  'POST /v1/conversions',
  'GET /v1/conversions/{}',
  'PATCH /v1/conversions/{}',
  'GET /v1/conversions/{}/history',
  'GET /v1/affiliates',
  'POST /v1/affiliates',
  'GET /v1/affiliates/{}',
  'PATCH /v1/affiliates/{}',
  'DELETE /v1/affiliates/{}',
  'GET /v1/affiliates/{}/stats',
  'GET /v1/affiliates/{}/history',
  'POST /v1/affiliates/{}/erase',
  'GET /v1/affiliates/{}/erasure',
  'GET /v1/erasures',
  'GET /v1/programs',
  'POST /v1/programs',
  'GET /v1/programs/{}',
  'PATCH /v1/programs/{}',
  'GET /v1/programs/{}/terms',
  'POST /v1/programs/{}/quote',
  'GET /v1/programs/{}/history',
  'GET /v1/adjustments',
  'POST /v1/adjustments',
  'GET /v1/adjustments/{}',
  'PATCH /v1/adjustments/{}',
  'GET /v1/adjustments/{}/history',
  'GET /v1/payouts',
  'POST /v1/payouts',
  'POST /v1/payouts/import',
  'GET /v1/payouts/{}',
  'PATCH /v1/payouts/{}',
  'GET /v1/payouts/{}/entries',
  'GET /v1/payouts/{}/history',
  'GET /v1/payout-runs',
  'POST /v1/payout-runs',
  'GET /v1/payout-runs/{}',
  'PATCH /v1/payout-runs/{}',
  'GET /v1/payout-runs/{}/file',
  'GET /v1/payout-runs/{}/history',
  'GET /v1/balances',
  'GET /v1/balances/summary',
  'GET /v1/balances/{}',
  'GET /v1/balances/{}/ledger',
  'GET /v1/balances/{}/statement',
  'GET /v1/statements/summary',
  'GET /v1/affiliates/{}/balances',
  'GET /v1/entries',
  'GET /v1/entries/{}',
  'GET /v1/webhooks',
  'POST /v1/webhooks/subscribe',
  'DELETE /v1/webhooks/subscribe',
  'GET /v1/webhooks/{}',
  'PATCH /v1/webhooks/{}',
  'DELETE /v1/webhooks/{}',
  'GET /v1/webhooks/{}/history',
  'GET /v1/webhooks/{}/secret',
  'POST /v1/webhooks/{}/rotate-secret',
  'GET /v1/webhooks/{}/stats',
  'POST /v1/webhooks/{}/test',
  'GET /v1/webhooks/{}/deliveries',
  'GET /v1/webhooks/{}/deliveries/{}',
  'POST /v1/webhooks/{}/deliveries/{}/redeliver',
  'GET /v1/webhooks/{}/replays',
  'POST /v1/webhooks/{}/replays',
  'GET /v1/webhooks/{}/replays/{}',
  'DELETE /v1/webhooks/{}/replays/{}',
  'GET /v1/deliveries',
  'POST /v1/accounts',
  'GET /v1/accounts',
  'GET /v1/account',
  'POST /v1/api-keys',
  'GET /v1/api-keys',
  'DELETE /v1/api-keys/{}',
];

/** Tests the OpenAPI document and the pages. */
export const documentationSuite = (service: ServiceFactory): void => {
  describe('the documentation', () => {
    let reader: ApiClient;
    let document: OpenApiDocument;
    beforeAll(async () => {
      reader = await ApiClient.connect(await service());
      document = expectStatus(200, await reader.get<OpenApiDocument>('/openapi.json'));
    });

    const page = async (path: string): Promise<string> => {
      const response: ApiResponse = await reader.get(path);
      expect([path, response.status, response.header('content-type')?.split(';')[0]]).toEqual([
        path,
        200,
        'text/html',
      ]);
      return response.text;
    };
    /** Returns the addresses of everything that a page loads. */
    const assetsOf = (html: string): string[] =>
      [
        ...html.matchAll(
          /<(?:script|img|link|iframe|source)\b[^>]*?\b(?:src|href)\s*=\s*["']?([^"'\s>]+)/gi,
        ),
      ].map(([, address = '']) => address);

    it('has exactly the operations of the contract in the OpenAPI document', () => {
      expect(document.openapi).toMatch(/^3\.1/);
      const documented = Object.entries(document.paths).flatMap(([path, methods]) =>
        Object.keys(methods).map(
          (method) => `${method.toUpperCase()} ${path.replace(/\{[^}]+\}/g, '{}')}`,
        ),
      );
      expect(documented.toSorted()).toEqual(operations.toSorted());
    });

    it('documents the problems that are common to all operations', () => {
      for (const [path, methods] of Object.entries(document.paths).filter(([path]) =>
        path.startsWith('/v1/'),
      ))
        for (const [method, { responses }] of Object.entries(methods)) {
          const needsOnlyRead = method === 'get' || path === '/v1/programs/{id}/quote';
          const always = [
            '401',
            '422',
            '429',
            '500',
            '503',
            ...(needsOnlyRead ? [] : ['403']),
            ...(method === 'post' || method === 'patch' ? ['400', '413', '415'] : []),
          ];
          expect([
            method,
            path,
            always.filter((status) => responses[status] === undefined),
          ]).toEqual([method, path, []]);
        }
    });

    it("lists exactly the contract's codes", () => {
      const code = { enum: codes.flatMap(([, names]) => names) };
      expect(document.components.schemas).toMatchObject({ Problem: { properties: { code } } });
    });

    it('is a document whose schemas compile', () => {
      expect(() => new OpenApiCheck(document).compile()).not.toThrow();
    });

    it.each(['/docs', '/docs/errors'])(
      'has the page %s, which loads nothing from other hosts',
      async (path) => {
        const html = await page(path);
        for (const address of assetsOf(html)) {
          if (address.startsWith('data:')) continue;
          const url = new URL(address, new URL(path, reader.baseUrl));
          expect(url.origin).toBe(new URL(reader.baseUrl).origin);
          expect([address, (await reader.get(url.pathname + url.search)).status]).toEqual([
            address,
            200,
          ]);
        }
        expect(html.match(/@import|url\(\s*["']?(?:https?:)?\/\//g)).toBeNull();
      },
    );

    it('is where a browser that opens / is sent', async () => {
      const open = (accept?: string, method = 'GET') =>
        reader.send(method, '/', { headers: { ...(accept !== undefined && { accept }) } });
      const browser = 'text/html,application/xhtml+xml,application/xml;q=0.9,*/*;q=0.8';
      for (const accept of [browser, 'text/html', 'application/json, Text/HTML;q=0.5'])
        for (const method of ['GET', 'HEAD']) {
          const response = await open(accept, method);
          expect([response.status, response.header('location')]).toEqual([302, '/docs']);
          expect(response.header('vary')).toBe('accept');
        }
      for (const accept of ['*/*', 'application/json', 'text/plain'])
        expectProblem(await open(accept), 404, 'not_found');
      expectProblem(await open(browser, 'POST'), 404, 'not_found');
    });

    it('has no other assets: 404', async () => {
      for (const path of ['/docs/assets/unknown', '/docs/assets/', '/docs/assets/swagger-ui.js'])
        expectProblem(await reader.get(path), 404, 'not_found');
    });

    it('shows the operations on its page, or loads the document that has them', async () => {
      const html = await page('/docs');
      const scripts = await Promise.all(
        assetsOf(html).map(async (address) =>
          address.startsWith('data:')
            ? ''
            : (await reader.get(new URL(address, `${reader.baseUrl}/docs`).pathname)).text,
        ),
      );
      expect(
        [html, ...scripts].some(
          (text) => text.includes('/openapi.json') || text.includes('/v1/conversions'),
        ),
      ).toBe(true);
    });

    it('explains every code under its own anchor, to which the type of a problem points', async () => {
      const html = await page('/docs/errors');
      for (const [status, names] of codes) {
        for (const name of names)
          expect([name, new RegExp(`\\bid=["']?${name}["'\\s>]`).test(html)]).toEqual([name, true]);
        expect(html).toContain(String(status));
      }
    });
  });
};
