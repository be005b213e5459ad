/// <reference types="jest" />
import {
  affiliateBody,
  type ApiResponse,
  ApiClient,
  type ApiKey,
  conversionBody,
  expectStatus,
  type Scope,
  type ServiceFactory,
  TestAccount,
  unknownId,
} from '@refledger/testing';
import { expectProblem } from '../expect-problem.js';

/** Tests keys and scopes: which key may do what. */
export const authenticationSuite = (service: ServiceFactory): void => {
  describe('authentication', () => {
    let anonymous: ApiClient;
    let account: TestAccount;
    beforeAll(async () => {
      anonymous = await ApiClient.connect(await service());
      account = await TestAccount.open(await service());
    });

    const withHeader = (authorization: string, path = '/v1/account'): Promise<ApiResponse> =>
      anonymous.get(path, { headers: { authorization } });

    it.each([
      '/v1/account',
      '/v1/conversions',
      '/v1/nowhere',
      '/v1',
      '/v1/',
      '/v1/conversions/',
      '/v1/conversions/x?limit=bad',
    ])('rejects %s without a key, whether or not the path exists', async (path) => {
      expectProblem(await anonymous.get(path), 401, 'unauthenticated');
    });

    it('rejects every method without a key', async () => {
      for (const method of ['POST', 'PUT', 'PATCH', 'DELETE', 'OPTIONS'])
        expectProblem(await anonymous.send(method, '/v1/conversions'), 401, 'unauthenticated');
      expect((await anonymous.send('HEAD', '/v1/conversions')).status).toBe(401);
    });

    it.each([
      'Bearer',
      'Bearer ',
      'Basic YTpi',
      'Token abc',
      'Bearer two words',
      'bearer',
      'Bearer unknown-key-0123456789abcdef',
      'Bearer rk_00000000000000000000000000_00000000000000000000000000000000',
      'Bearer rk_',
      'Bearer rk__',
    ])('refuses "%s"', async (authorization) => {
      expectProblem(await withHeader(authorization), 401, 'unauthenticated');
    });

    it('rejects another account’s key with this account’s id, and a truncated or extended key', async () => {
      const key = account.api.key ?? '';
      const other = await TestAccount.open(await service());
      const [, suffix] = key.split('_');
      const [, , secret] = (other.api.key ?? '').split('_');
      for (const forged of [
        `rk_${suffix}_${secret}`,
        key.slice(0, -1),
        `${key}0`,
        key.toUpperCase(),
      ])
        expectProblem(await withHeader(`Bearer ${forged}`), 401, 'unauthenticated');
    });

    it('accepts the scheme in any case, as RFC 9110 requires', async () => {
      expectStatus(200, await withHeader(`bearer ${account.api.key}`));
    });

    it('rejects a revoked key immediately', async () => {
      const { id, api_key } = expectStatus(
        201,
        await account.api.post<ApiKey>('/v1/api-keys', { name: 'to be revoked', scope: 'read' }),
      );
      const revoked = account.api.withKey(api_key);
      expectStatus(200, await revoked.get('/v1/account'));
      expectStatus(204, await account.api.delete(`/v1/api-keys/${id}`));
      expectProblem(await revoked.get('/v1/account'), 401, 'unauthenticated');
    });

    it('is not required outside /v1', async () => {
      expectProblem(await anonymous.get('/nowhere'), 404, 'not_found');
      expect((await anonymous.get('/openapi.json')).status).toBe(200);
    });

    it.each([
      '//v1/account',
      '/v1//account',
      '/%76%31/account',
      '/v1/%61ccount',
      '/V1/account',
      '/v1;x/account',
    ])('cannot be bypassed with the path %s', async (path) => {
      expect([401, 404]).toContain((await anonymous.get(`${anonymous.baseUrl}${path}`)).status);
    });
  });

  describe('scopes', () => {
    const scopes: readonly Scope[] = ['read', 'write', 'admin', 'operator'];
    let clients: Record<Scope, ApiClient>;
    let affiliateId: string;
    beforeAll(async () => {
      const running = await service();
      const account = await TestAccount.open(running);
      affiliateId = (await account.affiliate()).id;
      clients = {
        read: await account.withScope('read'),
        write: await account.withScope('write'),
        admin: account.api,
        operator: await ApiClient.connect(running, running.adminKey),
      };
    });

    const requests: readonly [Scope, string, (api: ApiClient) => Promise<ApiResponse>][] = [
      ['read', 'GET /v1/conversions', (api) => api.get('/v1/conversions')],
      ['read', 'HEAD /v1/affiliates', (api) => api.send('HEAD', '/v1/affiliates')],
      ['read', 'GET /v1/account', (api) => api.get('/v1/account')],
      ['read', 'GET /v1/webhooks', (api) => api.get('/v1/webhooks')],
      ['read', 'GET /v1/webhooks/:id', (api) => api.get(`/v1/webhooks/${unknownId('whk')}`)],
      [
        'read',
        'GET /v1/affiliates/:id/stats',
        (api) => api.get(`/v1/affiliates/${affiliateId}/stats`),
      ],
      [
        'read',
        'POST /v1/programs/:id/quote',
        (api) =>
          api.post('/v1/programs/prog_spring/quote', { sale_amount: 1, sale_currency: 'USD' }),
      ],
      ['write', 'POST /v1/affiliates', (api) => api.post('/v1/affiliates', affiliateBody())],
      [
        'write',
        'POST /v1/conversions',
        (api) => api.post('/v1/conversions', conversionBody(affiliateId)),
      ],
      [
        'write',
        'PATCH /v1/affiliates/:id',
        (api) => api.patch(`/v1/affiliates/${affiliateId}`, { name: 'New' }),
      ],
      [
        'write',
        'DELETE /v1/affiliates/:id',
        (api) => api.delete(`/v1/affiliates/${unknownId('aff')}`),
      ],
      [
        'write',
        'DELETE /v1/webhooks/subscribe',
        (api) =>
          api.delete('/v1/webhooks/subscribe', {
            query: { target_url: 'http://example.com/none' },
          }),
      ],
      [
        'write',
        'PATCH /v1/webhooks/:id',
        (api) => api.patch(`/v1/webhooks/${unknownId('whk')}`, { description: 'x' }),
      ],
      [
        'write',
        'POST /v1/webhooks/:id/test',
        (api) => api.post(`/v1/webhooks/${unknownId('whk')}/test`, undefined),
      ],
      ['write', 'DELETE /v1/webhooks/:id', (api) => api.delete(`/v1/webhooks/${unknownId('whk')}`)],
      [
        'admin',
        'GET /v1/webhooks/:id/secret',
        (api) => api.get(`/v1/webhooks/${unknownId('whk')}/secret`),
      ],
      [
        'admin',
        'POST /v1/webhooks/:id/rotate-secret',
        (api) => api.post(`/v1/webhooks/${unknownId('whk')}/rotate-secret`, {}),
      ],
      ['admin', 'GET /v1/api-keys', (api) => api.get('/v1/api-keys')],
      [
        'admin',
        'POST /v1/api-keys',
        (api) => api.post('/v1/api-keys', { name: 'k', scope: 'read' }),
      ],
      ['admin', 'DELETE /v1/api-keys/:id', (api) => api.delete(`/v1/api-keys/${unknownId('key')}`)],
      ['operator', 'GET /v1/accounts', (api) => api.get('/v1/accounts')],
      ['operator', 'POST /v1/accounts', (api) => api.post('/v1/accounts', { name: 'a' })],
    ];

    it.each(requests)('scope %s is required for %s', async (needed, _name, send) => {
      for (const scope of scopes) {
        const { status, text } = await send(clients[scope]);
        const enough = scopes.indexOf(scope) >= scopes.indexOf(needed);
        expect([scope, status === 403, text]).toEqual([scope, !enough, text]);
      }
    });
  });
};
