/// <reference types="jest" />
import {
  type ApiResponse,
  type ApiClient,
  type Endpoint,
  expectStatus,
  type Page,
  type ServiceFactory,
  subscriptionBody,
  TestAccount,
  uniqueText,
} from '@refledger/testing';
import { expectIssues, expectProblem, like } from '../expect-problem.js';

const kinds = [
  'affiliate.created',
  'affiliate.approved',
  'conversion.created',
  'conversion.approved',
  'payout.created',
  'payout.completed',
  'program.created',
  'program.updated',
  'affiliate.updated',
  'affiliate.rejected',
  'affiliate.suspended',
  'affiliate.deleted',
  'conversion.updated',
  'conversion.rejected',
  'conversion.refunded',
  'conversion.paid',
  'conversion.unpaid',
  'adjustment.created',
  'adjustment.updated',
  'adjustment.voided',
  'payout.failed',
  'payout.updated',
  'payout.processing',
  'payout.canceled',
];

/** Tests subscribing and unsubscribing. */
export const webhookEndpointsSuite = (service: ServiceFactory): void => {
  describe('webhook endpoints', () => {
    let account: TestAccount;
    let api: ApiClient;
    beforeAll(async () => {
      account = await TestAccount.open(await service());
      api = account.api;
    });

    const subscribe = (targetUrl: unknown, over: object = {}): Promise<ApiResponse<Endpoint>> =>
      api.post('/v1/webhooks/subscribe', {
        ...subscriptionBody('', ['conversion.created']),
        target_url: targetUrl,
        ...over,
      });
    const unsubscribe = (targetUrl: string): Promise<ApiResponse> =>
      api.delete('/v1/webhooks/subscribe', { query: { target_url: targetUrl } });
    const listed = async (id: string): Promise<Endpoint | undefined> =>
      (await account.all<Endpoint>('/v1/webhooks')).find((endpoint) => endpoint.id === id);
    const freshUrl = (): string => `http://example.com/${uniqueText('hook')}`;

    it('subscribing returns 201 with the endpoint and a secret that is shown only once', async () => {
      const url = freshUrl();
      const made = expectStatus(201, await subscribe(url, { description: 'Our shop' }));
      expect(made).toEqual({
        id: like.id('whk'),
        object: 'webhook_endpoint',
        target_url: url,
        events: ['conversion.created'],
        description: 'Our shop',
        status: 'enabled',
        disabled: null,
        health: 'ok',
        failing_since: null,
        payload: 'full',
        max_per_second: null,
        secret_rotation: null,
        created_at: like.instant(),
        updated_at: made.created_at,
        waiting: 0,
        held: 0,
        secret: like.text(/^whsec_[A-Za-z0-9+/]{43}=$/),
      });
      const { secret, waiting: _waiting, held: _held, ...shown } = made;
      expect(await listed(made.id)).toEqual(shown);
      expect((await api.get('/v1/webhooks')).text).not.toContain(secret);
    });

    it('subscribing again returns 200 with the same id and the new events, without a secret', async () => {
      const url = freshUrl();
      const { secret: _, ...made } = expectStatus(
        201,
        await subscribe(url, { description: 'kept' }),
      );
      const again = expectStatus(
        200,
        await subscribe(url, { events: ['affiliate.created', 'affiliate.approved'] }),
      );
      expect(again).toEqual({
        ...made,
        events: ['affiliate.created', 'affiliate.approved'],
        updated_at: again.updated_at,
      });
      const third = expectStatus(
        200,
        await subscribe(url, { description: 'changed', secret: 'a secret of sixteen+' }),
      );
      expect(third).toEqual({ ...made, description: 'changed', updated_at: third.updated_at });
      const { waiting: _waiting, held: _held, ...shown } = third;
      expect(await listed(made.id)).toEqual(shown);
      expect(
        (await account.all<Endpoint>('/v1/webhooks')).filter(
          ({ target_url }) => target_url === url,
        ),
      ).toHaveLength(1);
    });

    it('subscribing again after an unsubscribe makes a new endpoint', async () => {
      const url = freshUrl();
      const first = expectStatus(201, await subscribe(url));
      expectStatus(204, await unsubscribe(url));
      const second = expectStatus(201, await subscribe(url));
      expect(second.id).not.toBe(first.id);
      expect(second.secret).toMatch(/^whsec_/);
    });

    it('concurrent subscriptions of one address make one endpoint', async () => {
      const url = freshUrl();
      const responses = await Promise.all(Array.from({ length: 15 }, () => subscribe(url)));
      expect(responses.map(({ status }) => status).toSorted()).toEqual([
        ...Array<number>(14).fill(200),
        201,
      ]);
      expect(new Set(responses.map(({ body }) => body.id)).size).toBe(1);
    });

    it('accepts every known kind, drops duplicates, and names an unknown one with the known ones', async () => {
      expect(
        expectStatus(201, await subscribe(freshUrl(), { events: kinds })).events.toSorted(),
      ).toEqual(kinds.toSorted());
      expect(
        expectStatus(
          201,
          await subscribe(freshUrl(), {
            events: ['payout.failed', 'payout.created', 'payout.failed'],
          }),
        ).events.toSorted(),
      ).toEqual(['payout.created', 'payout.failed']);
      const response = await subscribe(freshUrl(), {
        events: ['conversion.created', 'conversion.lost'],
      });
      expectProblem(response, 422, 'validation_failed');
      for (const kind of ['conversion.lost', '*', 'payout_run.*', ...kinds])
        expect(response.text).toContain(kind);
      for (const events of [[], undefined, 'conversion.created', [1], null])
        expectProblem(await subscribe(freshUrl(), { events }), 422, 'validation_failed');
    });

    it('accepts patterns, and shows them as they were sent', async () => {
      const url = freshUrl();
      const sent = ['payout_run.*', 'conversion.created', 'conversion.*', '*'];
      const made = expectStatus(201, await subscribe(url, { events: [...sent, 'conversion.*'] }));
      expect(made.events).toEqual(sent);
      expect((await listed(made.id))?.events).toEqual(sent);
      const groups = ['affiliate', 'program', 'conversion', 'adjustment', 'payout', 'webhook'];
      const events = groups.map((object) => `${object}.*`);
      const path = `/v1/webhooks/${made.id}`;
      expect(expectStatus(200, await api.patch<Endpoint>(path, { events })).events).toEqual(events);
      expect((await listed(made.id))?.events).toEqual(events);
      for (const pattern of [
        'sale.*',
        'conv.*',
        'conversion.cr*',
        'conversion*',
        '*.created',
        '**',
        'conversion.',
        'Conversion.*',
        'webhook_endpoint.*',
        'balance.*',
        ' *',
      ]) {
        const response = await subscribe(freshUrl(), { events: ['conversion.created', pattern] });
        expectIssues(response, 'validation_failed', ['/events/1']);
      }
    });

    it('accepts a secret of 16 to 128 printable ASCII characters', async () => {
      for (const secret of ['x'.repeat(16), '~'.repeat(128), 'with "quotes" & spaces'])
        expect(expectStatus(201, await subscribe(freshUrl(), { secret })).secret).toBe(secret);
      for (const secret of [
        'x'.repeat(15),
        'x'.repeat(129),
        '',
        'sixteen characters\u00e9',
        'sixteen\tcharacters',
        5,
        null,
      ])
        expectIssues(await subscribe(freshUrl(), { secret }), 'validation_failed', ['/secret']);
    });

    it.each([
      undefined,
      '',
      '/relative',
      'example.com/hook',
      'ftp://example.com/',
      'javascript:alert(1)',
      'http://',
      'http://user@example.com/',
      'http://user:pass@example.com/',
      'http://:pass@example.com/',
      `http://example.com/${'x'.repeat(2_048 - 18)}`,
      'http://exa mple.com/',
      5,
      null,
    ])('rejects the target %j', async (target) => {
      expectIssues(await subscribe(target), 'validation_failed', ['/target_url']);
    });

    it('accepts a target of up to 2048 normalized bytes', async () => {
      const escaped = (bytes: number) =>
        `http://example.com/${'x'.repeat(bytes - 19 - 6 * 300)}${'\u00e9'.repeat(300)}`;
      expect(expectStatus(201, await subscribe(escaped(2_048))).target_url).toBe(escaped(2_048));
      expectStatus(200, await subscribe(`${escaped(2_048)}#${'x'.repeat(500)}`));
      for (const url of [escaped(2_049), `http://example.com/${'\u{1f389}'.repeat(1_000)}`]) {
        const response = await subscribe(url);
        expectIssues(response, 'validation_failed', ['/target_url']);
        expect(response.text).toContain('2048 bytes');
      }
      expectProblem(await unsubscribe(escaped(2_049)), 404, 'not_found');
    });

    it('accepts a target of 2048 characters, and a name that does not resolve', async () => {
      for (const url of [
        `http://example.com/${'x'.repeat(2_048 - 19)}`,
        'https://nowhere.invalid/hook',
      ])
        expect(expectStatus(201, await subscribe(url)).target_url).toBe(url);
    });

    it.each([
      'http://10.0.0.1/',
      'http://172.16.5.4/',
      'http://172.31.255.255/',
      'http://192.168.1.1/',
      'http://169.254.1.1/',
      'http://169.254.169.254/latest/meta-data',
      'http://100.64.0.1/',
      'http://0.0.0.0/',
      'http://0.1.2.3/',
      'http://198.18.0.1/',
      'http://192.0.2.1/',
      'http://198.51.100.7/',
      'http://203.0.113.9/',
      'http://192.0.0.192/',
      'http://192.0.0.1/',
      'http://224.0.0.1/',
      'http://240.0.0.1/',
      'http://255.255.255.255/',
      'http://168.63.129.16/',
      'http://167772161/',
      'http://0x0a000001/',
      'http://0xa.1/',
      'http://012.0.0.1/',
      'http://10.1/',
      'http://[fe80::1]/',
      'http://[fd00:ec2::254]/',
      'http://[fc00::1]/',
      'http://[ff02::1]/',
      'http://[fec0::1]/',
      'http://[::]/',
      'http://[2001:db8::1]/',
      'http://[::ffff:10.0.0.1]/',
      'http://[::ffff:a9fe:a9fe]/',
      'http://[64:ff9b::a00:1]/',
      'http://[2002:a00:1::1]/',
      'http://[2001:0:a00:1::1]/',
      'http://\uff11\uff10.0.0.1/',
      'https://10.0.0.1:8443/x',
    ])('rejects %s, which is not public', async (target) => {
      expectProblem(await subscribe(target), 422, 'target_not_allowed');
    });

    it('drops the fragment of a target, shows the rest unchanged, and compares normalized targets', async () => {
      const path = uniqueText('Path');
      const made = expectStatus(
        201,
        await subscribe(`HTTP://Example.COM:80/a/../${path}?q=1#fragment`),
      );
      expect(made.target_url).toBe(`HTTP://Example.COM:80/a/../${path}?q=1`);
      for (const same of [
        `http://example.com/${path}?q=1`,
        `http://EXAMPLE.com:80/./${path}?q=1#other`,
      ])
        expect(expectStatus(200, await subscribe(same)).id).toBe(made.id);
      for (const other of [
        `https://example.com/${path}?q=1`,
        `http://example.com/${path}`,
        `http://example.com/${path}?q=1&`,
        `http://example.com/${path.toLowerCase()}?q=1`,
        `http://example.com:81/${path}?q=1`,
      ])
        expectStatus(201, await subscribe(other));
      expectStatus(204, await unsubscribe(`http://example.com/${path}?q=1#whatever`));
      expect(await listed(made.id)).toBeUndefined();
    });

    it('unsubscribing returns 204, and 404 for a missing endpoint', async () => {
      const url = freshUrl();
      expectProblem(await unsubscribe(url), 404, 'not_found');
      expectStatus(201, await subscribe(url));
      expect((await unsubscribe(url)).text).toBe('');
      expectProblem(await unsubscribe(url), 404, 'not_found');
    });

    it('unsubscribing needs a target', async () => {
      expectIssues(await api.delete('/v1/webhooks/subscribe'), 'validation_failed', ['target_url']);
      expectIssues(await unsubscribe(''), 'validation_failed', ['target_url']);
      expectIssues(
        await api.delete('/v1/webhooks/subscribe', {
          query: { target: 'http://example.com/', target_url: freshUrl() },
        }),
        'unknown_field',
        ['target'],
      );
    });

    it('an account has at most a hundred, all on one page of the list', async () => {
      const crowd = await TestAccount.open(await service());
      const add = (n: number): Promise<ApiResponse<Endpoint>> =>
        crowd.api.post(
          '/v1/webhooks/subscribe',
          subscriptionBody(`http://example.com/${n}`, ['conversion.created']),
        );
      const responses = await Promise.all(Array.from({ length: 105 }, (_, n) => add(n)));
      const refused = responses.filter(({ status }) => status !== 201);
      expect(refused).toHaveLength(5);
      for (const response of refused) expectProblem(response, 422, 'too_many_endpoints');
      const { data, has_more } = expectStatus(
        200,
        await crowd.api.get<Page<Endpoint>>('/v1/webhooks'),
      );
      expect([data.length, has_more]).toEqual([100, false]);
      expect(
        (await crowd.all<Endpoint>('/v1/webhooks', { limit: 33, sort: 'created_at' })).map(
          ({ id }) => id,
        ),
      ).toEqual(data.map(({ id }) => id).toReversed());
      const one = responses.findIndex(({ status }) => status === 201);
      expectStatus(200, await add(one));
      expectStatus(
        204,
        await crowd.api.delete('/v1/webhooks/subscribe', {
          query: { target_url: `http://example.com/${one}` },
        }),
      );
      expectStatus(201, await add(1_000));
      expectProblem(await add(1_001), 422, 'too_many_endpoints');
    });
  });
};
