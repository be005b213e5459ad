/// <reference types="jest" />
import {
  type Endpoint,
  eventually,
  type MovableClock,
  type ServiceFactory,
} from '@refledger/testing';
import { like } from '../expect-problem.js';
import { HookedAccount } from './hooked-account.js';

/** Tests endpoints that fail, on a service with the retries that are the default. */
export const failingSuite = (service: ServiceFactory, clock: MovableClock): void => {
  describe('an endpoint that fails', () => {
    let hooked: HookedAccount;
    beforeAll(async () => void (hooked = await HookedAccount.open(service, clock)));
    afterAll(() => hooked.close());

    /** A new endpoint whose receiver fails until it is up. */
    const made = async () => {
      const state = { isUp: false };
      const { at, id } = await hooked.subscribe();
      hooked.receiver.script(at, () => ({ status: state.isUp ? 204 : 500 }));
      return { at, id, state };
    };
    const untilEndpoint = (id: string, wanted: Partial<Endpoint>): Promise<Endpoint> =>
      hooked.whileRetrying(id, async () => {
        const endpoint = await hooked.endpoint(id);
        expect(endpoint).toMatchObject(wanted);
        return endpoint;
      });

    it('shows since when, until an attempt succeeds', async () => {
      const { id, at, state } = await made();
      await hooked.sell();
      const failing = await eventually(async () => {
        const endpoint = await hooked.endpoint(id);
        expect(endpoint.failing_since).toEqual(like.instant());
        return endpoint;
      });
      expect(failing).toMatchObject({ status: 'enabled', health: 'ok' });
      const listed = await hooked.account.all<Endpoint>('/v1/webhooks');
      expect(listed.find((one) => one.id === id)?.failing_since).toBe(failing.failing_since);
      state.isUp = true;
      await untilEndpoint(id, { failing_since: null, waiting: 0 });
      expect(hooked.receiver.hooks(at).length).toBeGreaterThan(1);
    });

    it('is disabled after a while, holds everything, and catches up once it is enabled', async () => {
      const { id, at, state } = await made();
      const { at: told } = await hooked.subscribe(['webhook.disabled']);
      const sold = await hooked.sell(2);
      const disabled = await untilEndpoint(id, { status: 'disabled' });
      expect(disabled).toMatchObject({
        disabled: { reason: 'failing', at: disabled.updated_at },
        health: 'ok',
        failing_since: null,
      });
      await hooked.receiver.waitFor(told, 1);
      const { waiting: _, held: __, ...record } = disabled;
      expect(hooked.receiver.hooks(told).map(({ envelope }) => envelope)).toMatchObject([
        { type: 'webhook.disabled', timestamp: disabled.updated_at, data: record },
      ]);
      sold.push(...(await hooked.sell()));
      await untilEndpoint(id, { held: 3, waiting: 3 });
      const attempts = hooked.receiver.hooks(at).length;
      state.isUp = true;
      const enabled = await hooked.change(id, { status: 'enabled' });
      expect(enabled).toMatchObject({ status: 'enabled', disabled: null });
      await untilEndpoint(id, { held: 0, waiting: 0 });
      const arrived = hooked.receiver.hooks(at).slice(attempts);
      expect(arrived.map(({ envelope }) => envelope.data.id).toSorted()).toEqual(
        sold.map((sale) => sale.id).toSorted(),
      );
      expect((await hooked.deliveries(id)).map(({ status }) => status)).toEqual(
        Array(3).fill('succeeded'),
      );
    });
  });
};
