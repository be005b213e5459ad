/// <reference types="jest" />
import {
  type ApiResponse,
  type Change,
  type Endpoint,
  eventually,
  expectStatus,
  type Page,
  type MovableClock,
  type ServiceFactory,
  subscriptionBody,
  TestAccount,
  uniqueText,
  unknownId,
} from '@refledger/testing';
import { expectIssues, expectProblem, like } from '../expect-problem.js';
import { HookedAccount } from './hooked-account.js';

type EndpointChange = Change<Endpoint>;

/** Tests the history of webhook endpoints. */
export const endpointHistorySuite = (service: ServiceFactory, clock: MovableClock): void => {
  describe('the history of a webhook endpoint', () => {
    let hooked: HookedAccount;
    beforeAll(async () => void (hooked = await HookedAccount.open(service, clock)));
    afterAll(() => hooked.close());

    const made = (over: object = {}): Promise<Endpoint> =>
      hooked.account.subscribe(
        hooked.receiver.url(`/${uniqueText('hook')}`),
        ['payout.failed'],
        over,
      );
    const history = async (id: string, query = {}): Promise<readonly EndpointChange[]> =>
      expectStatus(
        200,
        await hooked.api.get<Page<EndpointChange>>(`/v1/webhooks/${id}/history`, {
          query: { sort: 'revision', ...query },
        }),
      ).data;
    const changesOf = (all: readonly EndpointChange[]) =>
      all.map(({ type, reason, changes }) => ({ type, reason, changes }));

    it('starts from nothing, and shows who made each change, but never a secret', async () => {
      const endpoint = await made({ description: 'Our shop' });
      const changed = await hooked.patch(endpoint.id, { status: 'paused', description: null });
      expectStatus(200, changed);
      const secret = 'a secret of the client';
      const body = subscriptionBody(endpoint.target_url, ['payout.created'], { secret });
      expectStatus(200, await hooked.api.post('/v1/webhooks/subscribe', body));
      const all = await history(endpoint.id);
      expect(all[0]).toEqual({
        id: like.id('evt'),
        object: 'change',
        type: 'webhook.subscribed',
        revision: all[0]?.revision,
        position: like.text(/^\d+$/),
        at: endpoint.created_at,
        actor: { type: 'api_key', id: like.id('key'), name: like.text(/./) },
        request_id: like.text(/./),
        reason: null,
        changes: [
          { path: '/id', before: null, after: endpoint.id },
          { path: '/object', before: null, after: 'webhook_endpoint' },
          { path: '/target_url', before: null, after: endpoint.target_url },
          { path: '/events', before: null, after: ['payout.failed'] },
          { path: '/description', before: null, after: 'Our shop' },
          { path: '/status', before: null, after: 'enabled' },
          { path: '/health', before: null, after: 'ok' },
          { path: '/payload', before: null, after: 'full' },
        ],
      });
      expect(all[1]).toMatchObject({
        position: changed.header('refledger-position'),
        request_id: changed.header('x-request-id'),
      });
      expect(changesOf(all.slice(1))).toEqual([
        {
          type: 'webhook.paused',
          reason: null,
          changes: [
            { path: '/description', before: 'Our shop', after: null },
            { path: '/status', before: 'enabled', after: 'paused' },
          ],
        },
        {
          type: 'webhook.updated',
          reason: null,
          changes: [{ path: '/events', before: ['payout.failed'], after: ['payout.created'] }],
        },
        {
          type: 'webhook.secret_rotated',
          reason: null,
          changes: [{ path: '/secret', before: '(changed)', after: '(changed)' }],
        },
      ]);
      expect(JSON.stringify(all)).not.toContain(secret);
      expect(JSON.stringify(all)).not.toContain(endpoint.secret);
    });

    it('shows a rotation with its overlap, and the end of the overlap', async () => {
      const { id } = await made();
      const admin = await hooked.account.withScope('admin');
      for (const overlap of ['1h', '0s'])
        expectStatus(200, await admin.post(`/v1/webhooks/${id}/rotate-secret`, { overlap }));
      const [, begun, ended] = await history(id);
      const overlap = { signs_until: like.instant() };
      const newSecret = { path: '/secret', before: '(changed)', after: '(changed)' };
      expect([begun?.changes, ended?.changes]).toEqual([
        [{ path: '/secret_rotation', before: null, after: overlap }, newSecret],
        [{ path: '/secret_rotation', before: overlap, after: null }, newSecret],
      ]);
    });

    it('shows what the service found out, and a renewed subscription that changed nothing', async () => {
      const { at, id } = await hooked.subscribe(['affiliate.created']);
      hooked.receiver.script(at, () => ({ status: 410 }));
      const again = subscriptionBody(hooked.receiver.url(at), ['affiliate.created']);
      expectStatus(200, await hooked.api.post('/v1/webhooks/subscribe', again));
      await hooked.account.affiliate();
      const changes = await eventually(async () => {
        const found = await history(id);
        expect(found).toHaveLength(3);
        return found;
      });
      expect(changesOf(changes.slice(1))).toEqual([
        { type: 'webhook.updated', reason: null, changes: [] },
        {
          type: 'webhook.disabled',
          reason: 'gone',
          changes: [
            { path: '/status', before: 'enabled', after: 'disabled' },
            { path: '/disabled', before: null, after: { reason: 'gone', at: changes[2]?.at } },
          ],
        },
      ]);
      expect(changes[2]?.actor).toEqual({ type: 'system', id: like.text(/./), name: null });
    });

    it('has the record after each change, without counts', async () => {
      const responses = [await made()];
      const [{ id }] = responses as [Endpoint];
      for (const change of [{ max_per_second: 5 }, { status: 'paused' }, { status: 'enabled' }])
        responses.push(await hooked.change(id, change));
      const all = await history(id, { include: 'record' });
      expect(all.map(({ record }) => record)).toEqual(
        responses.map(({ waiting: _, held: __, secret: ___, ...record }) => record),
      );
    });

    it('is shown page by page without the changes to other endpoints', async () => {
      const [{ id }, other] = [await made(), await made()];
      for (const n of [1, 2, 3, 4])
        for (const each of [id, other.id])
          await hooked.change(each, { description: `changed ${n}` });
      const path = `/v1/webhooks/${id}/history`;
      const newest = await hooked.account.all<EndpointChange>(path, { limit: 2 });
      const oldest = await hooked.account.all<EndpointChange>(path, { limit: 2, sort: 'revision' });
      expect(newest.map(({ changes: [change] }) => change?.after)).toEqual([
        ...[4, 3, 2, 1].map((n) => `changed ${n}`),
        id,
      ]);
      expect(oldest).toEqual([...newest].reverse());
      const first = await hooked.api.get<Page<EndpointChange>>(path, {
        query: { limit: 1 },
      });
      const cursor = expectStatus(200, first).next_cursor ?? '';
      for (const [each, query] of [
        [other.id, { cursor }],
        [id, { cursor, sort: 'revision' }],
        [id, { cursor: 'x' }],
        [id, { include: 'records' }],
        [id, { limit: 0 }],
      ] as const)
        expectIssues(
          await hooked.api.get(`/v1/webhooks/${each}/history`, { query }),
          'validation_failed',
          Object.keys(query).filter((name) => name !== 'sort'),
        );
    });

    it('includes what the same account has written, and waits for a position', async () => {
      const { id } = await made();
      const written = await hooked.patch(id, { description: 'new' });
      const headers = { 'refledger-min-position': written.header('refledger-position') ?? '' };
      const reader = await hooked.account.withScope('read');
      const read = await reader.get<Page<EndpointChange>>(`/v1/webhooks/${id}/history`, {
        headers,
      });
      expect(expectStatus(200, read).data).toHaveLength(2);
      expect(Number(read.header('refledger-position'))).toBeGreaterThanOrEqual(
        Number(written.header('refledger-position')),
      );
    });

    it('returns 404 for an endpoint that was deleted, is unknown or belongs to another account', async () => {
      const [deleted, kept] = [await made(), await made()];
      expectStatus(204, await hooked.api.delete(`/v1/webhooks/${deleted.id}`));
      const other = await TestAccount.open(await service());
      const withoutIds = ({ body }: ApiResponse, id: string): string => {
        const { request_id: _, ...problem } = body as { request_id: string };
        return JSON.stringify(problem).replaceAll(id, 'ID');
      };
      const unknown = unknownId('whk');
      const none = await other.api.get(`/v1/webhooks/${unknown}/history`);
      expectProblem(none, 404, 'not_found');
      for (const [client, id] of [
        [hooked.api, deleted.id],
        [other.api, kept.id],
      ] as const) {
        const refused = await client.get(`/v1/webhooks/${id}/history`);
        expectProblem(refused, 404, 'not_found');
        expect(withoutIds(refused, id)).toBe(withoutIds(none, unknown));
      }
    });
  });
};
