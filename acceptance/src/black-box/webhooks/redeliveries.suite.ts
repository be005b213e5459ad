/// <reference types="jest" />
import {
  type ApiResponse,
  type Delivery,
  eventually,
  expectStatus,
  type MovableClock,
  type ServiceFactory,
  signatureFaults,
  TestAccount,
  uniqueText,
  unknownId,
} from '@refledger/testing';
import { expectProblem, like } from '../expect-problem.js';
import { HookedAccount } from './hooked-account.js';

/** Tests sending the event of a delivery again, on a service with `retrySettings`. */
export const redeliveriesSuite = (service: ServiceFactory, clock: MovableClock): void => {
  describe('redelivering', () => {
    let hooked: HookedAccount;
    beforeAll(async () => void (hooked = await HookedAccount.open(service, clock)));
    afterAll(() => hooked.close());

    const only = ([delivery, ...more]: readonly Delivery[]): Delivery => {
      if (delivery === undefined || more.length > 0) throw new Error('not exactly one delivery');
      return delivery;
    };
    /** The only delivery to an endpoint, once it has this status, which retries do not change. */
    const theOnly = (
      id: string,
      status: Exclude<Delivery['status'], 'waiting' | 'sending'>,
    ): Promise<Delivery> =>
      hooked.whileRetrying(id, async () => {
        const delivery = only(await hooked.deliveries(id));
        expect(delivery.status).toBe(status);
        return delivery;
      });
    const redeliver = (
      { id, endpoint_id }: Pick<Delivery, 'id' | 'endpoint_id'>,
      key?: string,
    ): Promise<ApiResponse<Delivery>> =>
      hooked.api.post<Delivery>(
        `/v1/webhooks/${endpoint_id}/deliveries/${id}/redeliver`,
        undefined,
        key === undefined ? {} : { headers: { 'idempotency-key': key } },
      );
    const untilDelivery = (delivery: Delivery, status: Delivery['status']): Promise<Delivery> =>
      eventually(
        async () => {
          const now = await hooked.delivery(delivery);
          expect(now.status).toBe(status);
          return now;
        },
        { timeoutMs: 30_000 },
      );
    /** A new endpoint, and its delivery of one sale once that has ended. */
    const ended = async (responds: () => number, status: 'succeeded' | 'failed') => {
      const endpoint = await hooked.subscribe();
      hooked.receiver.script(endpoint.at, () => ({ status: responds() }));
      await hooked.sell();
      return { ...endpoint, delivery: await theOnly(endpoint.id, status) };
    };

    it('sends the same event with the same bytes, and shows that it recovered what had failed', async () => {
      let isUp = false;
      const { at, delivery, secret } = await ended(() => (isUp ? 204 : 500), 'failed');
      const before = hooked.receiver.hooks(at).length;
      isUp = true;
      const made = expectStatus(202, await redeliver(delivery));
      expect(made).toEqual({
        ...delivery,
        id: like.id('dlv'),
        status: made.status,
        trigger: 'redeliver',
        attempt_count: made.attempt_count,
        next_attempt_at: made.next_attempt_at,
        created_at: like.instant(),
        finished_at: made.finished_at,
        reason: null,
      });
      expect(made.id).not.toBe(delivery.id);
      await untilDelivery(made, 'succeeded');
      const hooks = hooked.receiver.hooks(at);
      expect(hooks).toHaveLength(before + 1);
      expect(new Set(hooks.map(({ bytes }) => bytes.toString())).size).toBe(1);
      expect(new Set(hooks.map(({ headers }) => headers['webhook-id']))).toEqual(
        new Set([delivery.event_id]),
      );
      expect(hooks.at(-1)?.headers['x-service-delivery']).toBe(made.id);
      expect(hooks.slice(before).flatMap((hook) => signatureFaults(hook, secret))).toEqual([]);
      expect(await hooked.delivery(delivery)).toMatchObject({
        status: 'failed',
        recovered_by: made.id,
      });
      const listed = await hooked.account.all<Delivery>('/v1/deliveries', {
        event_id: delivery.event_id,
      });
      expect(listed.map(({ id, recovered_by }) => [id, recovered_by])).toEqual([
        [made.id, null],
        [delivery.id, made.id],
      ]);
    });

    it('with a key makes one delivery, however often it is sent', async () => {
      const { id, delivery } = await ended(() => 204, 'succeeded');
      const key = uniqueText('key');
      const responses = await Promise.all([1, 2, 3, 4].map(() => redeliver(delivery, key)));
      expect(responses.map(({ status }) => status).toSorted()).toEqual([200, 200, 200, 202]);
      expect(new Set(responses.map(({ body }) => body.id)).size).toBe(1);
      const again = await redeliver(delivery, key);
      expect(expectStatus(200, again).id).toBe(responses[0]?.body.id);
      expect(again.header('idempotent-replayed')).toBe('true');
      expect(await hooked.deliveries(id)).toHaveLength(2);
      const other = await ended(() => 204, 'succeeded');
      expectProblem(await redeliver(other.delivery, key), 422, 'idempotency_key_reused');
      // another delivery of the same event
      const made = expectStatus(200, again);
      await untilDelivery(made, 'succeeded');
      expectProblem(await redeliver(made, key), 422, 'idempotency_key_reused');
    });

    it('makes a waiting delivery due at once, and creates no other', async () => {
      const { at, id } = await hooked.subscribe();
      let isUp = false;
      hooked.receiver.script(at, () =>
        isUp ? { status: 204 } : { status: 503, headers: { 'retry-after': '3600' } },
      );
      await hooked.sell();
      const waiting = only(await hooked.waitForFirstRetry(id));
      isUp = true;
      const key = uniqueText('key');
      const hurried = expectStatus(202, await redeliver(waiting, key));
      expect(hurried).toMatchObject({ id: waiting.id, trigger: 'event' });
      await untilDelivery(waiting, 'succeeded');
      const again = await redeliver(waiting, key);
      expect(expectStatus(200, again)).toMatchObject({ id: waiting.id, status: 'succeeded' });
      expect(again.header('idempotent-replayed')).toBe('true');
      expect(await hooked.deliveries(id)).toHaveLength(1);
    });

    it('to a paused endpoint is held until it is enabled, and no drop cancels it', async () => {
      const { at, id, delivery } = await ended(() => 204, 'succeeded');
      await hooked.change(id, { status: 'paused' });
      const held = expectStatus(202, await redeliver(delivery));
      expect(held).toMatchObject({ status: 'held', trigger: 'redeliver' });
      expect(hooked.receiver.hooks(at)).toHaveLength(1);
      await hooked.change(id, { status: 'enabled', held: 'drop' });
      await untilDelivery(held, 'succeeded');
      expect(hooked.receiver.hooks(at)).toHaveLength(2);
    });

    it('a delivery that was dropped before it was ever sent creates its body', async () => {
      const { at, id } = await hooked.subscribe();
      await hooked.change(id, { status: 'paused' });
      const [sale] = await hooked.sell();
      await theOnly(id, 'held');
      await hooked.change(id, { status: 'enabled', held: 'drop' });
      const dropped = await theOnly(id, 'canceled');
      await untilDelivery(expectStatus(202, await redeliver(dropped)), 'succeeded');
      const [hook] = hooked.receiver.hooks(at);
      expect(hook?.envelope.data).toEqual(sale);
    });

    it('of an unknown delivery, another endpoint’s, another account’s or a deleted endpoint’s is refused', async () => {
      const { id, delivery } = await ended(() => 204, 'succeeded');
      const other = await hooked.subscribe();
      expectProblem(await redeliver({ ...delivery, id: unknownId('dlv') }), 404, 'not_found');
      expectProblem(await redeliver({ ...delivery, endpoint_id: other.id }), 404, 'not_found');
      const stranger = await TestAccount.open(await service());
      expectProblem(
        await stranger.api.post(
          `/v1/webhooks/${id}/deliveries/${delivery.id}/redeliver`,
          undefined,
        ),
        404,
        'not_found',
      );
      expectStatus(204, await hooked.api.delete(`/v1/webhooks/${id}`));
      expectProblem(await redeliver(delivery), 404, 'not_found');
    });
  });
};
