/// <reference types="jest" />
import {
  type Affiliate,
  type ApiResponse,
  type Conversion,
  type Delivery,
  type DeliveryWithAttempts,
  type Endpoint,
  eventually,
  expectStatus,
  type HookReceiver,
  type ServiceFactory,
  signatureFaults,
  startHookReceiver,
  subscriptionBody,
  TestAccount,
  uniqueText,
} from '@refledger/testing';
import { expectIssues, expectProblem, like } from '../expect-problem.js';
import { countedEndpoint } from './counted-endpoint.js';

/** Tests endpoints that are paused and enabled, on a service with `quickRetrySettings`. */
export const pausingSuite = (service: ServiceFactory): void => {
  describe('pausing', () => {
    let receiver: HookReceiver;
    let account: TestAccount;
    let affiliate: Affiliate;
    beforeAll(async () => {
      receiver = await startHookReceiver();
      ({ account, affiliate } = await TestAccount.withAffiliate(await service()));
    });
    afterAll(() => receiver.close());

    const made = async (over: object = {}) => {
      const at = `/${uniqueText('hook')}`;
      const endpoint = await account.subscribe(receiver.url(at), ['conversion.created'], over);
      return { at, id: endpoint.id, secret: endpoint.secret };
    };
    const patch = (id: string, body: object): Promise<ApiResponse<Endpoint>> =>
      account.api.patch<Endpoint>(`/v1/webhooks/${id}`, body);
    const changed = async (id: string, body: object): Promise<Endpoint> =>
      expectStatus(200, await patch(id, body));
    const get = (id: string): Promise<Endpoint> => countedEndpoint(account.api, id);
    const sell = async (count: number): Promise<readonly Conversion[]> => {
      const sales: Conversion[] = [];
      while (sales.length < count) sales.push(await account.conversion(affiliate.id));
      return sales;
    };
    const deliveries = (id: string, query: Readonly<Record<string, string>> = {}) =>
      account.all<Delivery>(`/v1/webhooks/${id}/deliveries`, { sort: 'created_at', ...query });
    const until = (id: string, status: Delivery['status'], count: number) =>
      eventually(
        async () => {
          const found = await deliveries(id, { status });
          expect(found).toHaveLength(count);
          return found;
        },
        { timeoutMs: 30_000 },
      );
    /** The ids of what was sold, in the order in which it arrived. */
    const arrivedAt = (at: string): readonly string[] =>
      receiver.hooks(at).map(({ envelope }) => String(envelope.data.id));

    it('holds what happens meanwhile, and sends it once the endpoint is enabled', async () => {
      const { at, id, secret } = await made();
      const paused = await changed(id, { status: 'paused' });
      expect(paused).toMatchObject({ status: 'paused', disabled: null, waiting: 0, held: 0 });
      const sold = await sell(6);
      const held = await until(id, 'held', 6);
      const inOrder = held.toSorted((a, b) => Number(a.position) - Number(b.position));
      expect(inOrder.map(({ object_id }) => object_id)).toEqual(sold.map((sale) => sale.id));
      expect(held[0]).toMatchObject({
        attempt_count: 0,
        next_attempt_at: null,
        finished_at: null,
        reason: null,
      });
      expect(await get(id)).toEqual({ ...paused, waiting: 6, held: 6 });
      const one = await account.api.get<DeliveryWithAttempts>(
        `/v1/webhooks/${id}/deliveries/${held[0]?.id}`,
      );
      expect(expectStatus(200, one)).toMatchObject({ body: null, attempts: [] });
      expect(receiver.hooks(at)).toEqual([]);

      expect(await changed(id, { status: 'enabled' })).toMatchObject({ status: 'enabled' });
      const hooks = await receiver.waitFor(at, 6);
      await until(id, 'succeeded', 6);
      expect(hooks.flatMap((hook) => signatureFaults(hook, secret))).toEqual([]);
      expect(hooks.map(({ envelope }) => envelope.data).toSorted(byId)).toEqual(
        sold.toSorted(byId),
      );
      expect(await get(id)).toMatchObject({ waiting: 0, held: 0 });
    });

    it('catches up oldest first, while new events go at once', async () => {
      const { at, id } = await made();
      await changed(id, { status: 'paused' });
      const held = await sell(40);
      await until(id, 'held', 40);
      await changed(id, { status: 'enabled' });
      await receiver.waitFor(at, 1);
      const [sale] = await sell(1);
      await receiver.waitFor(at, 41);
      expect(arrivedAt(at).indexOf(sale?.id ?? '')).toBeLessThan(40);
      expect(arrivedAt(at)).toContain(sale?.id);
      const all = await until(id, 'succeeded', 41);
      const started = new Map<string, string>();
      for (const delivery of all) {
        const response = await account.api.get<DeliveryWithAttempts>(
          `/v1/webhooks/${id}/deliveries/${delivery.id}`,
        );
        const { object_id, attempts } = expectStatus(200, response);
        started.set(object_id, attempts[0]?.started_at ?? '');
      }
      const inOrder = held.map((conversion) => started.get(conversion.id) ?? '');
      // a few are in flight at once
      for (const [n, at] of inOrder.entries()) expect((inOrder[n + 10] ?? '9') > at).toBe(true);
    });

    it('holds what is being retried, even when its last attempt fails meanwhile', async () => {
      const { at, id } = await made();
      let isUp = false;
      receiver.script(at, () => ({ status: isUp ? 204 : 500 }));
      await sell(1);
      await receiver.waitFor(at, 1);
      await changed(id, { status: 'paused' });
      const [held] = await until(id, 'held', 1);
      const attempts = receiver.hooks(at).length;
      expect(held?.attempt_count).toBe(attempts);
      isUp = true;
      await changed(id, { status: 'enabled' });
      await until(id, 'succeeded', 1);
      expect(receiver.hooks(at)).toHaveLength(attempts + 1);
    });

    it('drops what is unfinished if asked to, and nothing that happens after that', async () => {
      const { at, id } = await made();
      await changed(id, { status: 'paused' });
      await sell(3);
      await until(id, 'held', 3);
      expect(await changed(id, { status: 'enabled', held: 'drop' })).toMatchObject({
        status: 'enabled',
      });
      const later = await sell(2);
      await until(id, 'succeeded', 2);
      const canceled = await until(id, 'canceled', 3);
      for (const delivery of canceled)
        expect(delivery).toMatchObject({
          reason: 'dropped when the endpoint was enabled',
          finished_at: like.instant(),
        });
      expect(arrivedAt(at).toSorted()).toEqual(later.map((sale) => sale.id).toSorted());
    });

    it('changes fields in the same request, and leaves the status alone without one', async () => {
      const { id } = await made();
      const both = await changed(id, { status: 'paused', description: 'Under repair' });
      expect(both).toMatchObject({ status: 'paused', description: 'Under repair' });
      expect(await changed(id, { status: 'paused' })).toEqual(both);
      expect(await changed(id, { max_per_second: 5 })).toMatchObject({
        status: 'paused',
        max_per_second: 5,
      });
    });

    it('stays when the address is subscribed again', async () => {
      const { at, id } = await made();
      await changed(id, { status: 'paused' });
      const body = subscriptionBody(receiver.url(at), ['conversion.created', 'payout.created']);
      const again = await account.api.post<Endpoint>('/v1/webhooks/subscribe', body);
      expect(expectStatus(200, again)).toMatchObject({ id, status: 'paused' });
      await sell(1);
      const [held] = await until(id, 'held', 1);
      expect(held).toBeDefined();
      expect(receiver.hooks(at)).toEqual([]);
    });

    it('ends the disabling by a 410, which the endpoint shows until then', async () => {
      const { at, id } = await made();
      let isGone = true;
      receiver.script(at, () => ({ status: isGone ? 410 : 204 }));
      await sell(1);
      const disabled = await eventually(async () => {
        const endpoint = await get(id);
        expect(endpoint.status).toBe('disabled');
        return endpoint;
      });
      expect(disabled.disabled).toEqual({ reason: 'gone', at: disabled.updated_at });
      await sell(1);
      expect(await changed(id, { status: 'paused' })).toMatchObject({
        status: 'paused',
        disabled: null,
      });
      const held = await sell(1);
      await until(id, 'held', 1);
      isGone = false;
      await changed(id, { status: 'enabled' });
      await until(id, 'succeeded', 1);
      expect(arrivedAt(at).slice(1)).toEqual(held.map((sale) => sale.id));
      // the sale made while the endpoint was gone matched nothing
      expect(await deliveries(id)).toHaveLength(2);
    });

    it('cannot be done by disabling, and the choice of what to do with held deliveries needs enabling', async () => {
      const { id } = await made();
      const before = await get(id);
      const { detail } = expectProblem(
        await patch(id, { status: 'disabled' }),
        409,
        'invalid_transition',
      );
      expect(detail).toContain('paused');
      for (const body of [{ held: 'drop' }, { held: 'send', status: 'paused' }])
        expectIssues(await patch(id, body), 'validation_failed', ['/held']);
      expectIssues(await patch(id, { status: 'off' }), 'validation_failed', ['/status']);
      expectIssues(await patch(id, { status: 'enabled', held: 'keep' }), 'validation_failed', [
        '/held',
      ]);
      expect(await get(id)).toEqual(before);
    });

    it('holds deliveries, which are canceled with their endpoint', async () => {
      const { at, id } = await made();
      await changed(id, { status: 'paused' });
      await sell(2);
      await until(id, 'held', 2);
      expectStatus(204, await account.api.delete(`/v1/webhooks/${id}`));
      await until(id, 'canceled', 2);
      expect(receiver.hooks(at)).toEqual([]);
    });
  });
};

const byId = (one: { readonly id?: unknown }, other: { readonly id?: unknown }): number =>
  String(one.id) < String(other.id) ? -1 : 1;
