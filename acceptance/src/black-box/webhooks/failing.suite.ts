/// <reference types="jest" />
import {
  type Affiliate,
  type Delivery,
  type Endpoint,
  eventually,
  expectStatus,
  type HookReceiver,
  type ServiceFactory,
  startHookReceiver,
  TestAccount,
  uniqueText,
} from '@refledger/testing';
import { like } from '../expect-problem.js';
import { countedEndpoint } from './counted-endpoint.js';

/** Disables an endpoint soon, and does not give up on any delivery before that. */
export const failingSettings = {
  WEBHOOK_RETRY_SCHEDULE: Array.from({ length: 40 }, () => '200ms').join(','),
  WEBHOOK_TIMEOUT: '1s',
  WEBHOOK_DISABLE_AFTER: '1500ms',
};

/** Tests endpoints that fail, on a service with `failingSettings`. */
export const failingSuite = (service: ServiceFactory): void => {
  describe('an endpoint that fails', () => {
    let receiver: HookReceiver;
    let account: TestAccount;
    let affiliate: Affiliate;
    beforeAll(async () => {
      receiver = await startHookReceiver();
      ({ account, affiliate } = await TestAccount.withAffiliate(await service()));
    });
    afterAll(() => receiver.close());

    /** A new endpoint whose receiver fails until it is up. */
    const made = async () => {
      const at = `/${uniqueText('hook')}`;
      const state = { isUp: false };
      receiver.script(at, () => ({ status: state.isUp ? 204 : 500 }));
      const { id } = await account.subscribe(receiver.url(at), ['conversion.created']);
      return { at, id, state };
    };
    const get = (id: string): Promise<Endpoint> => countedEndpoint(account.api, id);
    const deliveries = (id: string): Promise<Delivery[]> =>
      account.all<Delivery>(`/v1/webhooks/${id}/deliveries`);
    const until = (id: string, wanted: Partial<Endpoint>): Promise<Endpoint> =>
      eventually(
        async () => {
          const endpoint = await get(id);
          expect(endpoint).toMatchObject(wanted);
          return endpoint;
        },
        { timeoutMs: 30_000 },
      );

    it('shows since when, until an attempt succeeds', async () => {
      const { id, at, state } = await made();
      await account.conversion(affiliate.id);
      const failing = await eventually(async () => {
        const endpoint = await get(id);
        expect(endpoint.failing_since).toEqual(like.instant());
        return endpoint;
      });
      expect(failing).toMatchObject({ status: 'enabled', health: 'ok' });
      const listed = await account.all<Endpoint>('/v1/webhooks');
      expect(listed.find((one) => one.id === id)?.failing_since).toBe(failing.failing_since);
      state.isUp = true;
      await until(id, { failing_since: null, waiting: 0 });
      expect(receiver.hooks(at).length).toBeGreaterThan(1);
    });

    it('is disabled after a while, holds everything, and catches up once it is enabled', async () => {
      const { id, at, state } = await made();
      const told = `/${uniqueText('hook')}`;
      await account.subscribe(receiver.url(told), ['webhook.disabled']);
      const sold = [await account.conversion(affiliate.id), await account.conversion(affiliate.id)];
      const disabled = await until(id, { status: 'disabled' });
      expect(disabled).toMatchObject({
        disabled: { reason: 'failing', at: disabled.updated_at },
        health: 'ok',
        failing_since: null,
      });
      await receiver.waitFor(told, 1);
      const { waiting: _, held: __, ...record } = disabled;
      expect(receiver.hooks(told).map(({ envelope }) => envelope)).toMatchObject([
        { type: 'webhook.disabled', timestamp: disabled.updated_at, data: record },
      ]);
      sold.push(await account.conversion(affiliate.id));
      await until(id, { held: 3, waiting: 3 });
      const attempts = receiver.hooks(at).length;
      state.isUp = true;
      const enabled = await account.api.patch<Endpoint>(`/v1/webhooks/${id}`, {
        status: 'enabled',
      });
      expect(expectStatus(200, enabled)).toMatchObject({ status: 'enabled', disabled: null });
      await until(id, { held: 0, waiting: 0 });
      const arrived = receiver.hooks(at).slice(attempts);
      expect(arrived.map(({ envelope }) => envelope.data.id).toSorted()).toEqual(
        sold.map((sale) => sale.id).toSorted(),
      );
      expect((await deliveries(id)).map(({ status }) => status)).toEqual(
        Array(3).fill('succeeded'),
      );
    });
  });
};
