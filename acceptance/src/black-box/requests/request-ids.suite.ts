/// <reference types="jest" />
import { createHash, randomUUID } from 'node:crypto';
import {
  type Affiliate,
  type ApiClient,
  eventually,
  exchangeRaw,
  type ServiceFactory,
  TestAccount,
  unknownId,
} from '@refledger/testing';
import { expectProblem } from '../expect-problem.js';

/** Tests the id of a request, and the log line about it. */
export const requestIdsSuite = (service: ServiceFactory): void => {
  let account: TestAccount;
  let api: ApiClient;
  let affiliate: Affiliate;
  const prepare = async (): Promise<void> => {
    account ??= await TestAccount.open(await service());
    api = account.api;
    affiliate ??= await account.affiliate();
  };

  const loggedRequest = async (id: string): Promise<unknown> => {
    const running = await service();
    return eventually(() => {
      const line = running
        .logs()
        .split('\n')
        .find((entry) => entry.includes(`"request_id":"${id}"`));
      return JSON.parse(line ?? '') as unknown;
    });
  };

  describe('the request id', () => {
    beforeAll(prepare);
    const idFor = async (sent: string) =>
      (await api.get('/v1/account', { headers: { 'x-request-id': sent } })).header('x-request-id');

    it('is accepted if it is 1 to 128 printable ASCII characters', async () => {
      for (const id of ['a', 'abc-123 {~!"}', 'x'.repeat(128)]) expect(await idFor(id)).toBe(id);
    });

    it('is generated otherwise, each time', async () => {
      for (const id of ['x'.repeat(129), '']) expect(await idFor(id)).not.toBe(id);
      const [response] = await exchangeRaw(
        api.baseUrl,
        Buffer.from(
          'GET /health/live HTTP/1.1\r\nHost: x\r\nX-Request-Id: caf\u00e9\r\n\r\n',
          'latin1',
        ),
      );
      expect(response?.headers.get('x-request-id')).toMatch(/^[\x20-\x7e]{1,128}$/);
      expect((await api.get('/v1/account')).header('x-request-id')).not.toBe(
        (await api.get('/v1/account')).header('x-request-id'),
      );
    });

    it.each([
      ['a UUID', (sent: string) => sent, (sent: string) => sent],
      ['another id, by its hash', (sent: string) => `order-${sent}`, hashed],
    ])('is in the error body, and in the log: %s', async (_, idFrom, logged) => {
      const sent = idFrom(randomUUID());
      const headers = { 'x-request-id': sent };
      const problem = expectProblem(await api.get('/v1/nowhere', { headers }), 404, 'not_found');
      expect(problem.request_id).toBe(sent);
      const line = await loggedRequest(logged(sent));
      expect(line).toMatchObject({ operation: 'other', method: 'GET', status: 404 });
      expect(line).not.toHaveProperty('route');
    });
  });

  describe('the log line', () => {
    beforeAll(prepare);
    const lineOf = async (path: string) => {
      const id = randomUUID();
      await api.get(path, { headers: { 'x-request-id': id } });
      return loggedRequest(id);
    };

    it("has the route's pattern, and the ids", async () => {
      const [endpoint, delivery] = [unknownId('whk'), unknownId('dlv')];
      expect(await lineOf(`/v1/affiliates/${affiliate.id}/stats?from=x`)).toMatchObject({
        account_id: account.id,
        route: '/v1/affiliates/:id/stats',
        id: affiliate.id,
      });
      expect(await lineOf(`/v1/webhooks/${endpoint}/deliveries/${delivery}`)).toMatchObject({
        route: '/v1/webhooks/:id/deliveries/:delivery_id',
        id: endpoint,
        delivery_id: delivery,
      });
    });

    it('has no id that is not one', async () => {
      const line = await lineOf('/v1/affiliates/jane@example.com');
      expect(line).toMatchObject({ route: '/v1/affiliates/:id', status: 404 });
      expect(line).not.toHaveProperty('id');
    });
  });
};

const hashed = (sent: string): string =>
  `sha256-${createHash('sha256').update(sent).digest('hex').slice(0, 32)}`;
