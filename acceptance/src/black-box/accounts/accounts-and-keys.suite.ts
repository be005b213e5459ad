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
      async () => void (operator = await ApiClient.of(await service(), (await service()).adminKey)),
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
        const own = operator.as(made.api_key);
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
        api_key: like.text(
          new RegExp(`^rk_${account.id.replace('acct_', '')}_[0-9a-hjkmnp-tv-z]{32}$`),
        ),
      });
      expectStatus(200, await api.as(made.api_key).get('/v1/account'));
      const { api_key, ...shown } = made;
      const listed = (await keys()).find(({ id }) => id === made.id);
      expect(listed).toEqual(shown);
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
      const operator = await ApiClient.of(await service(), (await service()).adminKey);
      const second = await make('operator', operator);
      expectStatus(200, await operator.as(second.api_key).get('/v1/accounts'));
      expectStatus(204, await operator.delete(`/v1/api-keys/${second.id}`));
    });

    it('are rejected within a second after revocation', async () => {
      const made = await make('admin');
      const own = api.as(made.api_key);
      expectStatus(200, await own.get('/v1/account'));
      const response = await api.delete(`/v1/api-keys/${made.id}`);
      expect([response.status, response.text]).toEqual([204, '']);
      await eventually(
        async () => expectProblem(await own.get('/v1/account'), 401, 'unauthenticated'),
        { timeoutMs: 1_000 },
      );
    });

    itReads(service)('the last admin key of an account cannot be revoked', async () => {
      const lonely = await TestAccount.open(await service());
      const [first] = await lonely.all<ApiKey>('/v1/api-keys');
      await lonely.withScope('write');
      expectProblem(await lonely.api.delete(`/v1/api-keys/${first?.id}`), 409, 'last_admin_key');
      const second = await make('admin', lonely.api);
      expectStatus(204, await lonely.api.delete(`/v1/api-keys/${first?.id}`));
      const own = lonely.api.as(second.api_key);
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
          pair.api.as(second.api_key).delete(`/v1/api-keys/${first?.id}`),
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
