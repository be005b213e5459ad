/// <reference types="jest" />
import {
  type Affiliate,
  type ApiClient,
  type ApiResponse,
  type Delivery,
  type Endpoint,
  expectStatus,
  type HookReceiver,
  type Replay,
  type ServiceFactory,
  startHookReceiver,
  subscriptionBody,
  TestAccount,
  uniqueText,
  unknownId,
} from '@refledger/testing';
import { expectIssues, expectProblem } from '../expect-problem.js';

/** Tests reading, changing and deleting one endpoint by its id. */
export const endpointChangesSuite = (service: ServiceFactory): void => {
  describe('a webhook endpoint', () => {
    let receiver: HookReceiver;
    let account: TestAccount;
    let affiliate: Affiliate;
    let api: ApiClient;
    beforeAll(async () => {
      receiver = await startHookReceiver();
      ({ account, affiliate } = await TestAccount.withAffiliate(await service()));
      api = account.api;
    });
    afterAll(() => receiver.close());

    const path = (): string => `/${uniqueText('hook')}`;
    /** A new endpoint as reads show it, without its secret. */
    const made = async (over: object = {}, at = path()): Promise<Endpoint> => {
      const kinds = ['conversion.created'];
      const { secret: _, ...shown } = await account.subscribe(receiver.url(at), kinds, over);
      return shown;
    };
    const get = (id: string): Promise<ApiResponse<Endpoint>> =>
      api.get<Endpoint>(`/v1/webhooks/${id}`);
    const patch = (id: string, body: unknown): Promise<ApiResponse<Endpoint>> =>
      api.patch<Endpoint>(`/v1/webhooks/${id}`, body);
    /** The kinds of all events that an endpoint gets, once everything so far is planned. */
    const kindsFor = async ({ id }: Endpoint): Promise<string[]> => {
      await (await service()).caughtUp();
      const deliveries = await account.all<Delivery>('/v1/deliveries', { endpoint_id: id });
      return deliveries.map(({ type }) => type).toSorted();
    };
    const remove = (id: string): Promise<ApiResponse> => api.delete(`/v1/webhooks/${id}`);
    /** Expects 404 of every operation on an endpoint, also on a delivery and a replay of it. */
    const expectNone = async (id: string, delivery: string, replay: string): Promise<void> => {
      const below = `/v1/webhooks/${id}`;
      const of = { delivery: `/deliveries/${delivery}`, replay: `/replays/${replay}` };
      const reads = ['', '/history', '/secret', '/stats', '/deliveries', '/replays'];
      for (const path of [...reads, of.delivery, of.replay])
        expectProblem(await api.get(below + path), 404, 'not_found');
      for (const path of ['/rotate-secret', '/test', `${of.delivery}/redeliver`])
        expectProblem(await api.post(below + path, undefined), 404, 'not_found');
      expectProblem(await api.post(`${below}/replays`, { since: '0' }), 404, 'not_found');
      expectProblem(await patch(id, { description: 'x' }), 404, 'not_found');
      for (const path of ['', of.replay])
        expectProblem(await api.delete(below + path), 404, 'not_found');
    };

    it('is read as the list shows it, with the number of its deliveries, without its secret', async () => {
      const endpoint = await made({ description: 'Our shop' });
      expect(expectStatus(200, await get(endpoint.id))).toEqual(endpoint);
      const listed = await account.all<Endpoint>('/v1/webhooks');
      const counts = { waiting: 0, held: 0 };
      expect({ ...listed.find(({ id }) => id === endpoint.id), ...counts }).toEqual(endpoint);
      expect(listed.some((one) => 'waiting' in one)).toBe(false);
    });

    it.each<{ readonly change: object; readonly shown?: Partial<Endpoint> }>([
      { change: { description: 'New' } },
      { change: { description: null } },
      { change: { target_url: 'HTTPS://Shop.Example.COM/hooks' } },
      {
        change: { events: ['payout.created', 'affiliate.created', 'payout.created'] },
        shown: { events: ['payout.created', 'affiliate.created'] },
      },
      { change: { description: '', events: ['affiliate.created'] } },
      { change: { payload: 'thin' } },
      { change: { max_per_second: 1 } },
      { change: { max_per_second: 1_000, payload: 'thin' } },
    ])(
      'is changed by $change, and otherwise stays the same',
      async ({ change, shown = change }) => {
        const endpoint = await made({ description: 'Our shop' });
        const changed = expectStatus(200, await patch(endpoint.id, change));
        expect(changed).toEqual({ ...endpoint, ...shown, updated_at: changed.updated_at });
        expect(changed.updated_at > endpoint.updated_at).toBe(true);
        expect(expectStatus(200, await get(endpoint.id))).toEqual(changed);
      },
    );

    it('stays as it is when a change changes nothing', async () => {
      const endpoint = await made({ description: 'Our shop' });
      const { target_url, events, description } = endpoint;
      const same = { target_url, events, description };
      expect(expectStatus(200, await patch(endpoint.id, same))).toEqual(endpoint);
      expect(expectStatus(200, await get(endpoint.id))).toEqual(endpoint);
    });

    it('is not changed by a request that makes no sense; the response names what is wrong', async () => {
      const endpoint = await made();
      expectIssues(await patch(endpoint.id, {}), 'validation_failed', ['']);
      for (const [change, path] of [
        [{ events: [] }, '/events'],
        [{ events: ['conversion.lost'] }, '/events/0'],
        [{ events: null }, '/events'],
        [{ target_url: 'ftp://example.com/' }, '/target_url'],
        [{ target_url: null }, '/target_url'],
        [{ description: 'x'.repeat(501) }, '/description'],
        [{ payload: 'small' }, '/payload'],
        [{ payload: null }, '/payload'],
        [{ max_per_second: 0 }, '/max_per_second'],
        [{ max_per_second: 1_001 }, '/max_per_second'],
        [{ max_per_second: 1.5 }, '/max_per_second'],
        [{ max_per_second: '10' }, '/max_per_second'],
      ] as const)
        expectIssues(await patch(endpoint.id, change), 'validation_failed', [path]);
      expectIssues(await patch(endpoint.id, { target: 'x' }), 'unknown_field', ['/target']);
      for (const field of ['id', 'created_at'])
        expectIssues(await patch(endpoint.id, { [field]: 'x' }), 'immutable_field', [`/${field}`]);
      expectProblem(
        await patch(endpoint.id, { target_url: 'http://10.0.0.1/' }),
        422,
        'target_not_allowed',
      );
      expect(expectStatus(200, await get(endpoint.id))).toEqual(endpoint);
    });

    it('has the payload and the limit that it is subscribed with, until others are given', async () => {
      const at = path();
      const endpoint = await made({ payload: 'thin', max_per_second: 7 }, at);
      expect(endpoint).toMatchObject({ payload: 'thin', max_per_second: 7 });
      const again = async (over: object): Promise<Endpoint> =>
        expectStatus(
          200,
          await api.post<Endpoint>(
            '/v1/webhooks/subscribe',
            subscriptionBody(receiver.url(at), ['affiliate.created'], over),
          ),
        );
      expect(await again({})).toMatchObject({ payload: 'thin', max_per_second: 7 });
      expect(await again({ payload: 'full', max_per_second: null })).toMatchObject({
        payload: 'full',
        max_per_second: null,
      });
    });

    it('gets each record with the payload that was set at the time of the event', async () => {
      const at = path();
      const { id } = await made({ payload: 'thin' }, at);
      const first = await account.conversion(affiliate.id);
      expectStatus(200, await patch(id, { payload: 'full' }));
      const second = await account.conversion(affiliate.id);
      const hooks = await receiver.waitFor(at, 2);
      const dataOf = (of: string): unknown =>
        hooks.find(({ envelope }) => envelope.data.id === of)?.envelope.data;
      expect(dataOf(first.id)).toEqual({ id: first.id, object: 'conversion', revision: 0 });
      expect(dataOf(second.id)).toEqual(second);
      expect(hooks.map(({ headers }) => headers['x-service-revision'])).toEqual(['0', '0']);
    });

    it('gets no more requests per second than its limit, and none is lost', async () => {
      const at = path();
      await made({ max_per_second: 10 }, at);
      const began = performance.now();
      await Promise.all(Array.from({ length: 25 }, () => account.conversion(affiliate.id)));
      const hooks = await receiver.waitFor(at, 25);
      // the first two may go immediately
      expect(performance.now() - began).toBeGreaterThan(2_200);
      expect(new Set(hooks.map(({ envelope }) => envelope.id)).size).toBe(25);
      expect(hooks).toHaveLength(25);
    });

    it('cannot take the target of another endpoint, however it is written', async () => {
      const [one, other] = [await made(), await made()];
      const again = `${other.target_url.replace('http:', 'HTTP:')}#again`;
      for (const target_url of [other.target_url, again]) {
        const { detail } = expectProblem(await patch(one.id, { target_url }), 422, 'target_exists');
        expect(detail).toContain(other.id);
      }
      expectStatus(204, await remove(other.id));
      expectStatus(200, await patch(one.id, { target_url: other.target_url }));
    });

    it('is found at its new target by a subscription, and no longer at its earlier one', async () => {
      const endpoint = await made();
      const target_url = receiver.url(path());
      expectStatus(200, await patch(endpoint.id, { target_url }));
      const subscribe = (url: string): Promise<ApiResponse<Endpoint>> =>
        api.post('/v1/webhooks/subscribe', subscriptionBody(url, ['conversion.created']));
      expect(expectStatus(200, await subscribe(target_url)).id).toBe(endpoint.id);
      expect(expectStatus(201, await subscribe(endpoint.target_url)).id).not.toBe(endpoint.id);
    });

    it('gets at its new target only events after the change, and only of its new kinds', async () => {
      const [before, after] = [path(), path()];
      const endpoint = await made({}, before);
      await account.conversion(affiliate.id);
      await receiver.waitFor(before, 1);
      const change = { target_url: receiver.url(after), events: ['affiliate.updated'] };
      expectStatus(200, await patch(endpoint.id, change));
      await account.conversion(affiliate.id);
      await account.update(affiliate, { metadata: { changed: uniqueText('at') } });
      const [hook] = await receiver.waitFor(after, 1);
      expect(hook?.envelope.type).toBe('affiliate.updated');
      expect(await kindsFor(endpoint)).toEqual(['affiliate.updated', 'conversion.created']);
      expect(receiver.hooks(before)).toHaveLength(1);
    });

    it('is gone once it is deleted, and gets nothing more', async () => {
      const endpoint = await made();
      await account.conversion(affiliate.id);
      expect(await kindsFor(endpoint)).toEqual(['conversion.created']);
      const replay = expectStatus(
        202,
        await api.post<Replay>(`/v1/webhooks/${endpoint.id}/replays`, { since: '0', until: '0' }),
      );
      const [delivery] = await account.all<Delivery>('/v1/deliveries', {
        endpoint_id: endpoint.id,
      });
      const { text } = await remove(endpoint.id);
      expect(text).toBe('');
      await expectNone(endpoint.id, delivery?.id ?? '', replay.id);
      const listed = await account.all<Endpoint>('/v1/webhooks');
      expect(listed.map(({ id }) => id)).not.toContain(endpoint.id);
      await account.conversion(affiliate.id);
      expect(await kindsFor(endpoint)).toEqual(['conversion.created']);
    });

    it('that does not exist returns 404 on every path below it, and so does a malformed id', async () => {
      for (const id of [unknownId('whk'), 'whk_1', affiliate.id])
        await expectNone(id, unknownId('dlv'), unknownId('rpl'));
    });
  });
};
