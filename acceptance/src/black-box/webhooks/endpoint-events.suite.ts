/// <reference types="jest" />
import {
  type Change,
  type Delivery,
  type DeliveryWithAttempts,
  type Endpoint,
  eventually,
  expectStatus,
  type Hook,
  type HookReceiver,
  type Page,
  type MovableClock,
  type ServiceFactory,
  signatureFaults,
  startHookReceiver,
  TestAccount,
  uniqueText,
} from '@refledger/testing';
import { like } from '../expect-problem.js';

const kinds = [
  'webhook.failing',
  'webhook.recovered',
  'webhook.paused',
  'webhook.enabled',
  'webhook.disabled',
  'webhook.secret_rotated',
];

/** Tests events about endpoints, on a service with `retrySettings`. */
export const endpointEventsSuite = (service: ServiceFactory, clock: MovableClock): void => {
  describe('an event about an endpoint', () => {
    let receiver: HookReceiver;
    beforeAll(async () => void (receiver = await startHookReceiver({ now: clock.now })));
    afterAll(() => receiver.close());

    /** A new account, so that it contains only a test's own endpoints. */
    const open = async () => {
      const account = await TestAccount.open(await service());
      const made = async (events: readonly string[], over: object = {}, query = '') => {
        const at = `/${uniqueText('hook')}${query}`;
        const endpoint = await account.subscribe(receiver.url(at), events, over);
        return { at, ...endpoint };
      };
      const patch = async (id: string, body: object): Promise<Endpoint> =>
        expectStatus(200, await account.api.patch<Endpoint>(`/v1/webhooks/${id}`, body));
      /** The changes after the first one, at least those up to this event. */
      const changes = async (
        id: string,
        last: Hook | undefined,
      ): Promise<readonly Change<Endpoint>[]> => {
        const query = { sort: 'revision', include: 'record' };
        const headers = { 'refledger-min-position': last?.envelope.position ?? '' };
        const path = `/v1/webhooks/${id}/history`;
        return expectStatus(
          200,
          await account.api.get<Page<Change<Endpoint>>>(path, { query, headers }),
        ).data.slice(1);
      };
      const deliveries = (id: string) =>
        account.all<Delivery>(`/v1/webhooks/${id}/deliveries`, { sort: 'created_at' });
      return { account, made, patch, changes, deliveries };
    };
    /** Waits for the deliveries of these kinds, and returns what arrived of each. */
    const arrived = async (at: string, types: readonly string[]): Promise<readonly Hook[]> => {
      await receiver.waitFor(at, types.length);
      const hooks = receiver.hooks(at);
      expect(hooks.map(({ envelope }) => envelope.type).toSorted()).toEqual(types.toSorted());
      return types.flatMap((type) => hooks.filter(({ envelope }) => envelope.type === type));
    };

    type Opened = Awaited<ReturnType<typeof open>>;
    /** Records each type of event about an endpoint, and two updates, which are internal. */
    const changeInEachWay = async (
      { account, patch }: Opened,
      { id, at }: { readonly id: string; readonly at: string },
    ): Promise<void> => {
      await patch(id, { status: 'paused', description: 'under repair' });
      await patch(id, { description: 'still' });
      await patch(id, { status: 'enabled' });
      const admin = await account.withScope('admin');
      const rotation = `/v1/webhooks/${id}/rotate-secret`;
      expectStatus(200, await admin.post(rotation, { overlap: '1h' }));
      receiver.script(at, () => ({ status: 410 }));
      await account.affiliate();
    };

    it('goes once to each other endpoint that names it, never to the one it is about', async () => {
      const opened = await open();
      const { account, made, changes, deliveries } = opened;
      const subject = await made(['webhook.*', 'affiliate.created'], {}, '?token=hidden');
      const watching = await made(kinds);
      const thin = await made(['webhook.*'], { payload: 'thin' });
      const few = await made(['webhook.enabled']);
      const stranger = await TestAccount.open(await service());
      await stranger.subscribe(receiver.url(`/${uniqueText('hook')}`), kinds);

      await changeInEachWay(opened, subject);

      const types = [
        'webhook.paused',
        'webhook.enabled',
        'webhook.secret_rotated',
        'webhook.disabled',
      ];
      const hooks = await arrived(watching.at, types);
      const all = await changes(subject.id, hooks.at(-1));
      const made4 = all.filter(({ type }) => type !== 'webhook.updated');
      expect(hooks.map(({ envelope }) => envelope)).toEqual(
        made4.map(({ id, type, at, position, record }) => ({
          id,
          type,
          timestamp: at,
          account_id: account.id,
          position,
          data: { ...record, target_url: subject.target_url.replace('?token=hidden', '') },
        })),
      );
      expect(hooks.map(({ envelope }) => envelope.data)).toMatchObject([
        { status: 'paused', description: 'under repair', secret_rotation: null },
        { status: 'enabled', description: 'still', disabled: null },
        { secret_rotation: { signs_until: like.instant() } },
        { status: 'disabled', disabled: { reason: 'gone' }, health: 'ok', failing_since: null },
      ]);
      expect(hooks.flatMap((hook) => signatureFaults(hook, watching.secret))).toEqual([]);
      for (const { headers, bytes } of hooks) {
        expect(Object.keys(headers)).not.toContain('x-service-revision');
        expect(bytes.toString()).not.toMatch(/hidden|sealed|whsec_|waiting|held/);
      }
      for (const { envelope, headers } of await arrived(thin.at, types)) {
        const object = 'webhook_endpoint';
        expect(envelope.data).toEqual({ id: subject.id, object, revision: null });
        expect(Object.keys(headers)).not.toContain('x-service-revision');
      }
      await arrived(few.at, ['webhook.enabled']);

      const shown = await eventually(async () => {
        const found = await deliveries(watching.id);
        expect(found.map(({ status }) => status)).toEqual(Array(4).fill('succeeded'));
        return found;
      });
      expect(new Set(shown.map(({ object_id }) => object_id))).toEqual(new Set([subject.id]));
      await (await service()).caughtUp();
      expect((await deliveries(subject.id)).map(({ type }) => type)).toEqual(['affiliate.created']);
      expect(await stranger.all('/v1/deliveries')).toEqual([]);
    });

    it('is held, sent again and redelivered with the endpoint as of that event', async () => {
      const { account, made, patch, changes, deliveries } = await open();
      const subject = await made(['payout.failed']);
      const watching = await made(kinds);
      await patch(watching.id, { status: 'paused' });
      await patch(subject.id, { status: 'paused', description: 'first' });
      await patch(subject.id, { status: 'enabled', description: 'second' });
      await eventually(async () =>
        expect((await deliveries(watching.id)).map(({ status }) => status)).toEqual([
          'held',
          'held',
        ]),
      );
      await patch(subject.id, { description: 'third' });
      await patch(watching.id, { status: 'enabled' });
      const hooks = await arrived(watching.at, ['webhook.paused', 'webhook.enabled']);
      expect(hooks.map(({ envelope }) => envelope.data)).toEqual(
        (await changes(subject.id, hooks.at(-1))).slice(0, 2).map(({ record }) => record),
      );
      const [first] = await eventually(async () => {
        const all = await deliveries(watching.id);
        expect(all.map(({ status }) => status)).toEqual(['succeeded', 'succeeded']);
        return all;
      });
      const path = `/v1/webhooks/${watching.id}/deliveries/${first?.id}/redeliver`;
      expectStatus(202, await account.api.post(path, undefined));
      await receiver.waitFor(watching.at, 3);
      const [one, , again] = receiver.hooks(watching.at);
      const original = [one, receiver.hooks(watching.at)[1]].find(
        (hook) => hook?.envelope.id === again?.envelope.id,
      );
      expect(again?.bytes.equals(original?.bytes ?? Buffer.alloc(0))).toBe(true);
    });

    it('can be tested with the example of an endpoint', async () => {
      const { account, made } = await open();
      const { id, at } = await made(['conversion.created']);
      for (const type of kinds) {
        const tested = await account.api.post<DeliveryWithAttempts>(`/v1/webhooks/${id}/test`, {
          type,
        });
        expect(expectStatus(200, tested)).toMatchObject({ type, status: 'succeeded' });
      }
      const hooks = receiver.hooks(at);
      expect(hooks.map(({ envelope }) => envelope.type)).toEqual(kinds);
      for (const { envelope } of hooks)
        expect(envelope).toMatchObject({ test: true, data: { object: 'webhook_endpoint' } });
    });

    it('that is internal cannot be subscribed to', async () => {
      const { account } = await open();
      for (const kind of ['webhook.subscribed', 'webhook.updated', 'webhook.unsubscribed']) {
        const body = { target_url: receiver.url('/'), events: [kind] };
        expect((await account.api.post('/v1/webhooks/subscribe', body)).status).toBe(422);
      }
    });
  });
};
