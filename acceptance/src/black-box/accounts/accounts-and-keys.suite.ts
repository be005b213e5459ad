/// <reference types="jest" />
import {
  type Account,
  ApiClient,
  type ApiKey,
  eventually,
  expectStatus,
  type Page,
  type ServiceFactory,
  TestAccount,
  uniqueText,
  unknownId,
} from '@refledger/testing';
import { expectIssues, expectProblem, like } from '../expect-problem.js';
import { itReads } from '../it-reads.js';

export const accountsAndKeysSuite = (service: ServiceFactory): void => {
  describe('accounts', () => {
    let operator: ApiClient;
    beforeAll(
      async () =>
        void (operator = await ApiClient.connect(await service(), (await service()).adminKey)),
    );

    itReads(service)(
      'are created with a name and a first admin key, which is shown only once',
      async () => {
        const name = uniqueText('Shop');
        const made = expectStatus(
          201,
          await operator.post<Account>('/v1/accounts', { name: ` ${name} ` }),
        );
        expect(made).toMatchObject({
          id: like.id('acct'),
          object: 'account',
          name,
          api_key: like.text(
            new RegExp(`^rk_${made.id.replace('acct_', '')}_[0-9a-hjkmnp-tv-z]{32}$`),
          ),
        });
        const own = operator.withKey(made.api_key);
        const { api_key, ...shown } = made;
        expect((await own.get('/v1/account')).body).toEqual(shown);
        expect(
          (await own.get<Page<ApiKey>>('/v1/api-keys')).body.data.map(({ scope }) => scope),
        ).toEqual(['admin']);
        for (const path of ['/v1/account', '/v1/api-keys'])
          expect((await own.get(path)).text).not.toContain(api_key);
        const { api_key: other } = expectStatus(
          201,
          await operator.post<Account>('/v1/accounts', { name }),
        );
        expect(other).not.toBe(api_key);
      },
    );

    it('need a name', async () => {
      for (const body of [{}, { name: '' }, { name: '  ' }, { name: 'x'.repeat(201) }, { name: 5 }])
        expectIssues(await operator.post('/v1/accounts', body), 'validation_failed', ['/name']);
    });

    itReads(service)('are listed to operators, oldest or newest first, page by page', async () => {
      const made: string[] = [];
      for (let n = 0; n < 3; n++) made.push((await TestAccount.open(await service())).id);
      const page = expectStatus(
        200,
        await operator.get<Page<Account>>('/v1/accounts', { query: { limit: 2 } }),
      );
      expect(page.data.map(({ id }) => id)).toEqual([made[2], made[1]]);
      const next = expectStatus(
        200,
        await operator.get<Page<Account>>('/v1/accounts', {
          query: { limit: 1, cursor: page.next_cursor ?? '' },
        }),
      );
      expect(next.data.map(({ id }) => id)).toEqual([made[0]]);
      expect(page.data.every((account) => account.api_key === undefined)).toBe(true);
    });

    it('include the first one, to which the operator key belongs', async () => {
      expect((await operator.get<Account>('/v1/account')).body.id).toEqual(like.id('acct'));
    });
  });

  describe('api keys', () => {
    let account: TestAccount;
    let api: ApiClient;
    beforeAll(async () => {
      account = await TestAccount.open(await service());
      api = account.api;
    });
    const make = async (scope: string, by = api): Promise<ApiKey> =>
      expectStatus(201, await by.post<ApiKey>('/v1/api-keys', { name: scope, scope }));
    const keys = (): Promise<ApiKey[]> => account.all('/v1/api-keys');

    itReads(service)('are created with a name and a scope, and shown only once', async () => {
      const made = expectStatus(
        201,
        await api.post<ApiKey>('/v1/api-keys', { name: 'Till 3', scope: 'write' }),
      );
      expect(made).toMatchObject({
        id: like.id('key'),
        name: 'Till 3',
        scope: 'write',
        created_at: like.instant(),
        expires_at: null,
        last_used_at: null,
        api_key: like.text(
          new RegExp(`^rk_${account.id.replace('acct_', '')}_[0-9a-hjkmnp-tv-z]{32}$`),
        ),
      });
      const { api_key, ...shown } = made;
      const listed = (await keys()).find(({ id }) => id === made.id);
      expect(listed).toEqual(shown);
      expectStatus(200, await api.withKey(api_key).get('/v1/account'));
      expect(Object.values(listed ?? {})).toContain(api_key?.slice(-4));
      expect((await api.get('/v1/api-keys')).text).not.toContain(api_key);
    });

    it('need a name and a scope', async () => {
      expectIssues(await api.post('/v1/api-keys', {}), 'validation_failed', ['/name', '/scope']);
      for (const scope of ['owner', '', 'READ', null])
        expectIssues(await api.post('/v1/api-keys', { name: 'k', scope }), 'validation_failed', [
          '/scope',
        ]);
    });

    itReads(service)('cannot create a key above their own scope', async () => {
      expectProblem(
        await api.post('/v1/api-keys', { name: 'k', scope: 'operator' }),
        403,
        'insufficient_scope',
      );
      const operator = await ApiClient.connect(await service(), (await service()).adminKey);
      const second = await make('operator', operator);
      expectStatus(200, await operator.withKey(second.api_key).get('/v1/accounts'));
      expectStatus(204, await operator.delete(`/v1/api-keys/${second.id}`));
    });

    it('are rejected within a second after revocation', async () => {
      const made = await make('admin');
      const own = api.withKey(made.api_key);
      expectStatus(200, await own.get('/v1/account'));
      const response = await api.delete(`/v1/api-keys/${made.id}`);
      expect([response.status, response.text]).toEqual([204, '']);
      await eventually(
        async () => expectProblem(await own.get('/v1/account'), 401, 'unauthenticated'),
        { timeoutMs: 1_000 },
      );
    });

    itReads(service)('show the hour in which they were last used', async () => {
      const [used, unused] = [await make('read'), await make('read')];
      const hour = (): string => new Date().toISOString().replace(/:\d\d:\d\d\.\d+/, ':00:00.000');
      const hours = [hour()];
      for (let n = 0; n < 3; n++)
        expectStatus(200, await api.withKey(used.api_key).get('/v1/account'));
      hours.push(hour());
      // another gateway may have to save the use first
      await eventually(async () => {
        const listed = new Map((await keys()).map((key) => [key.id, key.last_used_at]));
        expect(hours).toContain(listed.get(used.id));
        expect(listed.get(unused.id)).toBeNull();
      });
    });

    it('may expire, and are rejected from then on', async () => {
      const lasting = expectStatus(
        201,
        await api.post<ApiKey>('/v1/api-keys', {
          name: 'k',
          scope: 'read',
          expires_at: '2999-12-31t23:59:59+00:30',
        }),
      );
      expect(lasting.expires_at).toBe('2999-12-31T23:29:59.000Z');
      expectStatus(200, await api.withKey(lasting.api_key).get('/v1/account'));

      const short = await expiringSoon();
      await eventually(async () => {
        const { detail } = expectProblem(
          await api.withKey(short.api_key).get('/v1/account'),
          401,
          'unauthenticated',
        );
        expect(detail).toBe('This API key has expired. Use a valid key.');
      });
      expectStatus(204, await api.delete(`/v1/api-keys/${short.id}`));
    });

    /** A key that expires as soon as this machine lets one be created. */
    const expiringSoon = async (): Promise<ApiKey> => {
      for (let afterMs = 200; ; afterMs *= 2) {
        const expires_at = new Date(Date.now() + afterMs).toISOString();
        const response = await api.post<ApiKey>('/v1/api-keys', {
          name: 'k',
          scope: 'read',
          expires_at,
        });
        if (response.status === 201) return response.body;
        expectIssues(response, 'validation_failed', ['/expires_at']);
      }
    };

    it('expire only in the future', async () => {
      for (const expires_at of ['2026-01-31T09:30:00Z', '2999-01-31', '', 5])
        expectIssues(
          await api.post('/v1/api-keys', { name: 'k', scope: 'read', expires_at }),
          'validation_failed',
          ['/expires_at'],
        );
      const without = await api.post<ApiKey>('/v1/api-keys', {
        name: 'k',
        scope: 'read',
        expires_at: null,
      });
      expect(expectStatus(201, without).expires_at).toBeNull();
    });

    itReads(service)('are found by when they expire, soonest first or last', async () => {
      const own = await TestAccount.open(await service());
      const expiring = async (expires_at: string): Promise<string> =>
        expectStatus(
          201,
          await own.api.post<ApiKey>('/v1/api-keys', { name: 'k', scope: 'admin', expires_at }),
        ).id;
      const second = await expiring('2999-02-01T00:00:00Z');
      const first = await expiring('2999-01-01T00:00:00Z');
      const third = await expiring('2999-03-01T00:00:00Z');
      const list = (query: Record<string, string | number>): Promise<string[]> =>
        own.all<ApiKey>('/v1/api-keys', query).then((all) => all.map(({ id }) => id));
      const expires_before = '2999-03-01T00:00:00.000Z';
      expect(await list({ expires_before })).toEqual([second, first]);
      expect(await list({ expires_before, sort: 'created_at', limit: 1 })).toEqual([first, second]);
      expect(await list({ expires_before: '2999-03-01T00:00:00.001Z' })).toContain(third);
      expect(await list({ expires_before: '2026-01-01T00:00:00Z' })).toEqual([]);
      expectIssues(
        await own.api.get('/v1/api-keys', { query: { expires_before: '' } }),
        'validation_failed',
        ['expires_before'],
      );
    });

    itReads(service)('that expire do not count as the last admin key', async () => {
      const lonely = await TestAccount.open(await service());
      const [first] = await lonely.all<ApiKey>('/v1/api-keys');
      const expires_at = '2999-12-31T00:00:00Z';
      const short = expectStatus(
        201,
        await lonely.api.post<ApiKey>('/v1/api-keys', { name: 'k', scope: 'admin', expires_at }),
      );
      expectProblem(await lonely.api.delete(`/v1/api-keys/${first?.id}`), 409, 'last_admin_key');
      expectStatus(204, await lonely.api.delete(`/v1/api-keys/${short.id}`));
    });

    itReads(service)('the last admin key of an account cannot be revoked', async () => {
      const lonely = await TestAccount.open(await service());
      const [first] = await lonely.all<ApiKey>('/v1/api-keys');
      await lonely.withScope('write');
      expectProblem(await lonely.api.delete(`/v1/api-keys/${first?.id}`), 409, 'last_admin_key');
      const second = await make('admin', lonely.api);
      expectStatus(204, await lonely.api.delete(`/v1/api-keys/${first?.id}`));
      const own = lonely.api.withKey(second.api_key);
      expectProblem(await own.delete(`/v1/api-keys/${second.id}`), 409, 'last_admin_key');
      expectStatus(200, await own.get('/v1/account'));
    });

    itReads(service)(
      'of two admin keys that revoke each other concurrently, one remains',
      async () => {
        const pair = await TestAccount.open(await service());
        const [first] = await pair.all<ApiKey>('/v1/api-keys');
        const second = await make('admin', pair.api);
        const responses = await Promise.all([
          pair.api.delete(`/v1/api-keys/${second.id}`),
          pair.api.withKey(second.api_key).delete(`/v1/api-keys/${first?.id}`),
        ]);
        expect(responses.filter(({ status }) => status === 204)).toHaveLength(1);
        expect([401, 409]).toContain(responses.find(({ status }) => status !== 204)?.status);
      },
    );

    it('that do not exist return 404', async () => {
      for (const id of [unknownId('key'), 'nonsense'])
        expectProblem(await api.delete(`/v1/api-keys/${id}`), 404, 'not_found');
    });
  });
};
