/// <reference types="jest" />
import {
  affiliateBody,
  type ApiResponse,
  type ApiClient,
  expectStatus,
  type ServiceFactory,
  TestAccount,
} from '@refledger/testing';
import { expectProblem } from '../expect-problem.js';
import { imported, ndjson } from '../payouts/sent-import.js';

const quota = 40;
export const rateLimitSettings = { RATE_LIMIT_PER_MINUTE: String(quota) };
export const noRateLimitSettings = { RATE_LIMIT_PER_MINUTE: '0' };

const left = (response: ApiResponse): number =>
  Number(/r=(\d+)/.exec(response.header('ratelimit') ?? '')?.[1]);

/**
 * Tests that the limit of a key is shown in headers and enforced, on a service with
 * `rateLimitSettings`.
 */
export const rateLimitSuite = (service: ServiceFactory): void => {
  describe('the rate limit', () => {
    const exhaust = async (api: ApiClient): Promise<number> => {
      for (let served = 0; served < 3 * quota; served++)
        if ((await api.get('/v1/account')).status === 429) return served;
      throw new Error('never limited');
    };

    it('is in the headers of every authenticated response, including rejections', async () => {
      const { api } = await TestAccount.open(await service());
      const responses = [
        await api.get('/v1/account'),
        await api.get('/v1/nowhere'),
        await api.send('PUT', '/v1/account'),
        await api.get('/v1/accounts'),
        await api.post('/v1/affiliates', {}),
        await api.send('HEAD', '/v1/account'),
      ];
      expect(responses.map(({ status }) => status)).toEqual([200, 404, 405, 403, 422, 200]);
      for (const response of responses)
        expect([response.header('ratelimit-policy'), left(response)]).toEqual([
          `"default";q=${quota};w=60`,
          expect.any(Number),
        ]);
      expect(left(await api.get('/v1/account'))).toBeLessThan(quota);
    });

    it('counts an import as one request, however many lines it has', async () => {
      const { api } = await TestAccount.open(await service());
      const before = left(await api.get('/v1/account'));
      const line = { payout_id: 'pay_1', status: 'completed' };
      const { end } = await imported(api, ndjson(Array.from({ length: 3 * quota }, () => line)));
      expect(end.lines).toBe(3 * quota);
      expect(left(await api.get('/v1/account'))).toBe(before - 2);
    });

    it('rejects only the exhausted key, with 429 and Retry-After and before all later checks', async () => {
      const account = await TestAccount.open(await service());
      const reader = await account.withScope('read');
      expect(await exhaust(account.api)).toBeGreaterThanOrEqual(quota - 2);

      const refused = await account.api.get('/v1/account');
      expectProblem(refused, 429, 'rate_limited');
      expect([left(refused), Number(refused.header('retry-after'))]).toEqual([
        0,
        expect.any(Number),
      ]);
      expect(Number(refused.header('retry-after'))).toBeLessThanOrEqual(60);
      expectProblem(
        await account.api.send('POST', '/v1/affiliates', {
          body: 'x'.repeat(70_000),
          headers: { 'content-type': 'text/plain' },
        }),
        429,
        'rate_limited',
      );
      expectProblem(await account.api.post('/v1/affiliates', { nonsense: 1 }), 429, 'rate_limited');

      expectProblem(await account.api.get('/v1/nowhere'), 404, 'not_found');
      expectProblem(await account.api.send('PUT', '/v1/account'), 405, 'method_not_allowed');
      expectStatus(200, await reader.get('/v1/account'));
      expect(await exhaust(reader)).toBeGreaterThan(0);
      expectProblem(
        await reader.post('/v1/affiliates', affiliateBody()),
        403,
        'insufficient_scope',
      );
    });

    it('does not affect requests that need no key', async () => {
      const { api } = await TestAccount.open(await service());
      for (let n = 0; n < quota + 10; n++)
        expectStatus(200, await api.withKey(undefined).get('/health/live'));
    });
  });
};

/** Tests that 0 turns the limit off, on a service with `noRateLimitSettings`. */
export const noRateLimitSuite = (service: ServiceFactory): void => {
  describe('a rate limit of 0', () => {
    it('means no limit, and sends no headers', async () => {
      const { api } = await TestAccount.open(await service());
      const response = await api.get('/v1/account');
      expect([
        response.status,
        response.header('ratelimit'),
        response.header('ratelimit-policy'),
      ]).toEqual([200, undefined, undefined]);
    });
  });
};

const failureQuota = 20;
export const authFailureSettings = { AUTH_FAILURES_PER_MINUTE: String(failureQuota) };

/** Tests the limit on failed authentications, on a service with `authFailureSettings`. */
export const authFailuresSuite = (service: ServiceFactory): void => {
  describe('the limit on failed authentications', () => {
    it('returns 429 with Retry-After instead of 401 for any failure, and accepts valid keys', async () => {
      const { api } = await TestAccount.open(await service());
      const failing = [
        api.withKey(undefined),
        api.withKey('rk_unknown'),
        api.withKey('two words'),
        api.withKey(unknownKey()),
      ];
      const statuses: number[] = [];
      for (let n = 0; n < failureQuota + 8; n++) {
        const client = failing[n % failing.length] ?? api;
        const response = await client.get(n % 3 === 0 ? '/v1/account' : '/v1/nowhere');
        statuses.push(response.status);
        if (response.status !== 429) continue;
        expectProblem(response, 429, 'rate_limited');
        expect(Number(response.header('retry-after'))).toBeLessThanOrEqual(60);
        expect(response.header('www-authenticate')).toBeUndefined();
      }
      expect(statuses.filter((status) => status === 401)).toHaveLength(failureQuota);
      expect(statuses.slice(failureQuota)).toEqual(Array.from({ length: 8 }, () => 429));
      expectStatus(200, await api.get('/v1/account'));
    });
  });
};

const unknownKey = (): string => `rk_${'0'.repeat(26)}_${'0'.repeat(32)}`;
