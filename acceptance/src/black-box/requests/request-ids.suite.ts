/// <reference types="jest" />
import { createHash, randomUUID } from 'node:crypto';
import {
  type ApiClient,
  eventually,
  exchangeRaw,
  type ServiceFactory,
  TestAccount,
} from '@refledger/testing';
import { expectProblem } from '../expect-problem.js';

/** Tests the id of a request. */
export const requestIdsSuite = (service: ServiceFactory): void => {
  let account: TestAccount;
  let api: ApiClient;
  const prepare = async (): Promise<void> => {
    account ??= await TestAccount.open(await service());
    api = account.api;
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
    });
  });
};

const hashed = (sent: string): string =>
  `sha256-${createHash('sha256').update(sent).digest('hex').slice(0, 32)}`;
