/// <reference types="jest" />
import {
  type Endpoint,
  eventually,
  expectStatus,
  type MovableClock,
  type ServiceFactory,
  signatureFaults,
  subscriptionBody,
} from '@refledger/testing';
import { expectIssues, expectProblem, like } from '../expect-problem.js';
import { HookedAccount } from './hooked-account.js';

/** Tests endpoints that are paused and enabled, on a service with `retrySettings`. */
export const pausingSuite = (service: ServiceFactory, clock: MovableClock): void => {
  describe('pausing', () => {
    let hooked: HookedAccount;
    beforeAll(async () => void (hooked = await HookedAccount.open(service, clock)));
    afterAll(() => hooked.close());

    /** The ids of what was sold, in the order in which it arrived. */
    const arrivedAt = (at: string): readonly string[] =>
      hooked.receiver.hooks(at).map(({ envelope }) => String(envelope.data.id));

    it('holds what happens meanwhile, and sends it once the endpoint is enabled', async () => {
      const { at, id, secret } = await hooked.subscribe();
      const paused = await hooked.change(id, { status: 'paused' });
      expect(paused).toMatchObject({ status: 'paused', disabled: null, waiting: 0, held: 0 });
      const sold = await hooked.sell(6);
      const held = await hooked.waitForDeliveries(id, 'held', 6);
      const inOrder = held.toSorted((a, b) => Number(a.position) - Number(b.position));
      expect(inOrder.map(({ object_id }) => object_id)).toEqual(sold.map((sale) => sale.id));
      expect(held[0]).toMatchObject({
        attempt_count: 0,
        next_attempt_at: null,
        finished_at: null,
        reason: null,
      });
      expect(await hooked.endpoint(id)).toEqual({ ...paused, waiting: 6, held: 6 });
      for (const delivery of held)
        expect(await hooked.delivery(delivery)).toMatchObject({ body: null, attempts: [] });
      expect(hooked.receiver.hooks(at)).toEqual([]);

      expect(await hooked.change(id, { status: 'enabled' })).toMatchObject({ status: 'enabled' });
      const hooks = await hooked.receiver.waitFor(at, 6);
      await hooked.waitForDeliveries(id, 'succeeded', 6);
      expect(hooks.flatMap((hook) => signatureFaults(hook, secret))).toEqual([]);
      expect(hooks.map(({ envelope }) => envelope.data).toSorted(byId)).toEqual(
        sold.toSorted(byId),
      );
      expect(await hooked.endpoint(id)).toMatchObject({ waiting: 0, held: 0 });
    });

    it('catches up oldest first, while new events go at once', async () => {
      const { at, id } = await hooked.subscribe();
      await hooked.change(id, { status: 'paused' });
      const held = await hooked.sell(120);
      await hooked.waitForDeliveries(id, 'held', 120);
      await hooked.change(id, { status: 'enabled' });
      await hooked.receiver.waitFor(at, 1);
      const [sale] = await hooked.sell();
      await hooked.receiver.waitFor(at, () => arrivedAt(at).includes(sale?.id ?? ''));
      expect(arrivedAt(at).indexOf(sale?.id ?? '')).toBeLessThan(120);
      await eventually(async () => {
        // so many are sent per second
        await clock.pass(500);
        expect(hooked.receiver.hooks(at)).toHaveLength(121);
      });
      const all = await hooked.waitForDeliveries(id, 'succeeded', 121);
      const started = new Map<string, string>();
      for (const delivery of all) {
        const { object_id, attempts } = await hooked.delivery(delivery);
        started.set(object_id, attempts[0]?.started_at ?? '');
      }
      const inOrder = held.map((conversion) => started.get(conversion.id) ?? '');
      // a few are in flight at the same time
      for (const [n, at] of inOrder.entries()) expect((inOrder[n + 10] ?? '9') > at).toBe(true);
    });

    it('holds what is being retried', async () => {
      const { at, id } = await hooked.subscribe();
      let isUp = false;
      hooked.receiver.script(at, () => ({ status: isUp ? 204 : 503 }));
      await hooked.sell();
      await hooked.waitForFirstRetry(id);
      await hooked.change(id, { status: 'paused' });
      const [held] = await hooked.waitForDeliveries(id, 'held', 1);
      expect(held?.attempt_count).toBe(1);
      isUp = true;
      await hooked.change(id, { status: 'enabled' });
      await hooked.retryUntil(id, 'succeeded');
      expect(hooked.receiver.hooks(at)).toHaveLength(2);
    });

    it('drops what is unfinished if asked to, and nothing that happens after that', async () => {
      const { at, id } = await hooked.subscribe();
      await hooked.change(id, { status: 'paused' });
      await hooked.sell(3);
      await hooked.waitForDeliveries(id, 'held', 3);
      expect(await hooked.change(id, { status: 'enabled', held: 'drop' })).toMatchObject({
        status: 'enabled',
      });
      const later = await hooked.sell(2);
      await hooked.waitForDeliveries(id, 'succeeded', 2);
      const canceled = await hooked.waitForDeliveries(id, 'canceled', 3);
      for (const delivery of canceled)
        expect(delivery).toMatchObject({
          reason: 'dropped when the endpoint was enabled',
          finished_at: like.instant(),
        });
      expect(arrivedAt(at).toSorted()).toEqual(later.map((sale) => sale.id).toSorted());
    });

    it('changes fields in the same request; a request without a status leaves it alone', async () => {
      const { id } = await hooked.subscribe();
      const both = await hooked.change(id, { status: 'paused', description: 'Under repair' });
      expect(both).toMatchObject({ status: 'paused', description: 'Under repair' });
      expect(await hooked.change(id, { status: 'paused' })).toEqual(both);
      expect(await hooked.change(id, { max_per_second: 5 })).toMatchObject({
        status: 'paused',
        max_per_second: 5,
      });
    });

    it('stays when the address is subscribed again', async () => {
      const { at, id } = await hooked.subscribe();
      await hooked.change(id, { status: 'paused' });
      const body = subscriptionBody(hooked.receiver.url(at), [
        'conversion.created',
        'payout.created',
      ]);
      const again = await hooked.api.post<Endpoint>('/v1/webhooks/subscribe', body);
      expect(expectStatus(200, again)).toMatchObject({ id, status: 'paused' });
      await hooked.sell();
      const [held] = await hooked.waitForDeliveries(id, 'held', 1);
      expect(held).toBeDefined();
      expect(hooked.receiver.hooks(at)).toEqual([]);
    });

    it('also works on an endpoint that a 410 disabled, and removes the reason that it showed', async () => {
      const { at, id } = await hooked.subscribe();
      let isGone = true;
      hooked.receiver.script(at, () => ({ status: isGone ? 410 : 204 }));
      await hooked.sell();
      const disabled = await eventually(async () => {
        const endpoint = await hooked.endpoint(id);
        expect(endpoint.status).toBe('disabled');
        return endpoint;
      });
      expect(disabled.disabled).toEqual({ reason: 'gone', at: disabled.updated_at });
      await hooked.sell();
      expect(await hooked.change(id, { status: 'paused' })).toMatchObject({
        status: 'paused',
        disabled: null,
      });
      const held = await hooked.sell();
      await hooked.waitForDeliveries(id, 'held', 1);
      isGone = false;
      await hooked.change(id, { status: 'enabled' });
      await hooked.waitForDeliveries(id, 'succeeded', 1);
      expect(arrivedAt(at).slice(1)).toEqual(held.map((sale) => sale.id));
      // the sale made while the endpoint was gone matched nothing
      await (await service()).caughtUp();
      expect(await hooked.deliveries(id)).toHaveLength(2);
    });

    it('cannot be done with status disabled, and `held` is accepted only with status enabled', async () => {
      const { id } = await hooked.subscribe();
      const before = await hooked.endpoint(id);
      const { detail } = expectProblem(
        await hooked.patch(id, { status: 'disabled' }),
        409,
        'invalid_transition',
      );
      expect(detail).toContain('paused');
      for (const body of [{ held: 'drop' }, { held: 'send', status: 'paused' }])
        expectIssues(await hooked.patch(id, body), 'validation_failed', ['/held']);
      expectIssues(await hooked.patch(id, { status: 'off' }), 'validation_failed', ['/status']);
      expectIssues(
        await hooked.patch(id, { status: 'enabled', held: 'keep' }),
        'validation_failed',
        ['/held'],
      );
      expect(await hooked.endpoint(id)).toEqual(before);
    });

    it('holds deliveries, which are canceled with their endpoint', async () => {
      const { at, id } = await hooked.subscribe();
      await hooked.change(id, { status: 'paused' });
      await hooked.sell(2);
      await hooked.waitForDeliveries(id, 'held', 2);
      expectStatus(204, await hooked.api.delete(`/v1/webhooks/${id}`));
      await hooked.waitForDeliveries(id, 'canceled', 2);
      expect(hooked.receiver.hooks(at)).toEqual([]);
    });
  });
};

const byId = (one: { readonly id?: unknown }, other: { readonly id?: unknown }): number =>
  String(one.id) < String(other.id) ? -1 : 1;
