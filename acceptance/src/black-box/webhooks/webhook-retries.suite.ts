/// <reference types="jest" />
import {
  type Endpoint,
  eventually,
  expectStatus,
  type Hook,
  type MovableClock,
  type ServiceFactory,
  signatureFaults,
  startHookReceiver,
  uniqueText,
  unusedPort,
} from '@refledger/testing';
import { HookedAccount, type HookedEndpoint } from './hooked-account.js';

/** All retries of a delivery are within an hour, the shortest period of statistics. */
export const retrySettings = {
  WEBHOOK_RETRY_SCHEDULE: '1m,2m,5m,20m',
  WEBHOOK_TIMEOUT: '4s',
};
const totalAttempts = 5;
const hanging = ['never', { status: 503, then: 'drip' }] as const;
const minute = 60_000;
const hour = 60 * minute;

/** Tests deliveries that a receiver does not accept, on a service with `retrySettings`. */
export const webhookRetriesSuite = (service: ServiceFactory, clock: MovableClock): void => {
  describe('a failing receiver', () => {
    let hooked: HookedAccount;
    beforeAll(async () => void (hooked = await HookedAccount.open(service, clock)));
    afterAll(() => hooked.close());

    const unsubscribe = async ({ id }: Pick<Endpoint, 'id'>): Promise<void> =>
      void expectStatus(204, await hooked.api.delete(`/v1/webhooks/${id}`));
    const statusOf = async ({ id }: Pick<Endpoint, 'id'>): Promise<string> =>
      (await hooked.endpoint(id)).status;
    const bytesOf = (hooks: readonly Hook[]): Set<string> =>
      new Set(hooks.map(({ bytes }) => bytes.toString('hex')));
    /** The requests that arrived at an endpoint, once its only delivery has succeeded. */
    const succeeded = async ({ at, id }: HookedEndpoint): Promise<readonly Hook[]> => {
      await hooked.retryUntil(id, 'succeeded');
      return hooked.receiver.hooks(at);
    };
    /**
     * Lets a whole schedule pass. A retry to another endpoint shows that the attempts which were
     * due have started.
     */
    const scheduleOver = async (): Promise<void> => {
      const witness = await hooked.subscribe();
      hooked.receiver.script(witness.at, (_hook, attempt) => ({
        status: attempt === 1 ? 500 : 200,
      }));
      await hooked.sell();
      await hooked.waitForFirstRetry(witness.id);
      await clock.pass(hour);
      await succeeded(witness);
      await unsubscribe(witness);
    };

    it.each([500, 400, 404, 503, 429, 302, 304])(
      'that responds with %d gets a retry, with the same bytes and ids',
      async (status) => {
        const endpoint = await hooked.subscribe();
        hooked.receiver.script(endpoint.at, (_hook, attempt) => ({
          status: attempt < 3 ? status : 204,
        }));
        await hooked.sell();
        const hooks = await succeeded(endpoint);
        expect(hooks).toHaveLength(3);
        expect(bytesOf(hooks).size).toBe(1);
        for (const name of ['webhook-id', 'x-service-delivery', 'x-service-signature'])
          expect([name, new Set(hooks.map(({ headers }) => headers[name])).size]).toEqual([
            name,
            1,
          ]);
        expect(hooks.flatMap((hook) => signatureFaults(hook, endpoint.secret))).toEqual([]);
        await unsubscribe(endpoint);
      },
    );

    it('every 2xx is a success', async () => {
      const endpoints: HookedEndpoint[] = [];
      for (const status of [200, 201, 202, 204, 299]) {
        const endpoint = await hooked.subscribe();
        hooked.receiver.script(endpoint.at, () => ({ status }));
        endpoints.push(endpoint);
      }
      await hooked.sell();
      for (const endpoint of endpoints) await succeeded(endpoint);
      await scheduleOver();
      for (const { at } of endpoints)
        expect(
          new Set(hooked.receiver.hooks(at).map(({ headers }) => headers['webhook-id'])).size,
        ).toBe(hooked.receiver.hooks(at).length);
      for (const endpoint of endpoints) await unsubscribe(endpoint);
    });

    it('redirects are not followed', async () => {
      const endpoint = await hooked.subscribe();
      const elsewhere = `/${uniqueText('hook')}`;
      hooked.receiver.script(endpoint.at, (_hook, attempt) =>
        attempt === 1
          ? { status: 307, headers: { location: hooked.receiver.url(elsewhere) } }
          : { status: 200 },
      );
      await hooked.sell();
      expect(await succeeded(endpoint)).toHaveLength(2);
      expect(hooked.receiver.hooks(elsewhere)).toEqual([]);
      await unsubscribe(endpoint);
    });

    it.each([
      [429, 'seconds'],
      [503, 'seconds'],
      [503, 'a date'],
    ])(
      'Retry-After on %d in %s is honoured, and the attempt is signed with its own time',
      async (status, form) => {
        const retryAfter = (): string =>
          form === 'seconds' ? '600' : new Date(clock.now() + 10 * minute).toUTCString();
        const endpoint = await hooked.subscribe();
        hooked.receiver.script(endpoint.at, (_hook, attempt) =>
          attempt === 1 ? { status, headers: { 'retry-after': retryAfter() } } : { status: 200 },
        );
        await hooked.sell();
        const hooks = await succeeded(endpoint);
        const [first = NaN, second = NaN] = hooks.map(({ at }) => at);
        // a date has no fractions of a second
        expect(second - first).toBeGreaterThanOrEqual(10 * minute - 1_000);
        expect(hooks).toHaveLength(2);
        expect(hooks.flatMap((hook) => signatureFaults(hook, endpoint.secret))).toEqual([]);
        await unsubscribe(endpoint);
      },
    );

    it('that always fails gets every attempt of the schedule and no more, and its endpoint stays enabled', async () => {
      const endpoint = await hooked.subscribe();
      const { at, id } = endpoint;
      let broken = true;
      hooked.receiver.script(at, () => ({ status: broken ? 500 : 200 }));
      await hooked.sell();
      await hooked.retryUntil(id, 'failed');
      broken = false;
      await scheduleOver();
      const [first] = hooked.receiver.hooks(at);
      expect(
        hooked.receiver.hooks(at).filter(({ envelope }) => envelope.id === first?.envelope.id),
      ).toHaveLength(totalAttempts);
      expect(await statusOf(endpoint)).toBe('enabled');
      const [next] = await hooked.sell();
      await hooked.receiver.waitFor(at, (hooks) =>
        hooks.some(({ envelope }) => envelope.data.id === next?.id),
      );
      await unsubscribe(endpoint);
    });

    it('that responds with 410 is disabled, and its unfinished deliveries are canceled, until it subscribes again', async () => {
      const endpoint = await hooked.subscribe();
      const { at, id } = endpoint;
      let gone = false;
      hooked.receiver.script(at, () => ({ status: gone ? 410 : 500 }));
      await hooked.sell(4);
      await hooked.waitForFirstRetry(id, 4);
      gone = true;
      await hooked.sell();
      await eventually(async () => expect(await statusOf(endpoint)).toBe('disabled'));
      await hooked.waitForDeliveries(id, 'canceled', 4);
      await hooked.sell();
      await scheduleOver();
      await (await service()).caughtUp();
      expect(await hooked.deliveries(id)).toHaveLength(5);
      expect(hooked.receiver.hooks(at)).toHaveLength(5);

      hooked.receiver.script(at, () => ({ status: 200 }));
      const again = expectStatus(
        200,
        await hooked.api.post<Endpoint>('/v1/webhooks/subscribe', {
          target_url: hooked.receiver.url(at),
          events: ['conversion.created'],
        }),
      );
      expect([again.id, again.status]).toEqual([id, 'enabled']);
      const [next] = await hooked.sell();
      const hooks = await hooked.receiver.waitFor(at, (all) =>
        all.some(({ envelope }) => envelope.data.id === next?.id),
      );
      expect(signatureFaults(hooks.at(-1) as Hook, endpoint.secret)).toEqual([]);
      expect(hooks).toHaveLength(6);
      await unsubscribe(endpoint);
    });

    it('that unsubscribes gets no retry', async () => {
      const endpoint = await hooked.subscribe();
      hooked.receiver.script(endpoint.at, () => ({ status: 500 }));
      await hooked.sell();
      await hooked.waitForFirstRetry(endpoint.id);
      const query = { target_url: hooked.receiver.url(endpoint.at) };
      expectStatus(204, await hooked.api.delete('/v1/webhooks/subscribe', { query }));
      await hooked.waitForDeliveries(endpoint.id, 'canceled', 1);
      await scheduleOver();
      expect(hooked.receiver.hooks(endpoint.at)).toHaveLength(1);
    });

    it('retries are signed with the current secret', async () => {
      const endpoint = await hooked.subscribe();
      const secret = 'the new secret, of my own';
      const isSigned = (hook: Hook): boolean => signatureFaults(hook, secret).length === 0;
      hooked.receiver.script(endpoint.at, (hook) => ({ status: isSigned(hook) ? 200 : 500 }));
      await hooked.sell();
      await hooked.waitForFirstRetry(endpoint.id);
      const body = {
        target_url: hooked.receiver.url(endpoint.at),
        events: ['conversion.created'],
        secret,
      };
      expectStatus(200, await hooked.api.post('/v1/webhooks/subscribe', body));
      const hooks = await succeeded(endpoint);
      expect(bytesOf(hooks).size).toBe(1);
      await unsubscribe(endpoint);
    });

    it.each(hanging)('that hangs (%j) gets a retry after the timeout', async (how) => {
      const endpoint = await hooked.subscribe();
      hooked.receiver.script(endpoint.at, (_hook, attempt) =>
        attempt === 1 ? how : { status: 200 },
      );
      await hooked.sell();
      const hooks = await succeeded(endpoint);
      expect(hooks).toHaveLength(2);
      expect(bytesOf(hooks).size).toBe(1);
      await unsubscribe(endpoint);
    });

    it.each(hanging)('that hangs (%j) does not delay another', async (how) => {
      const stuck = await hooked.subscribe();
      hooked.receiver.script(stuck.at, () => how);
      await hooked.sell();
      await hooked.receiver.waitFor(stuck.at, 1);
      const well = await hooked.subscribe();
      const sales = await Promise.all(
        Array.from({ length: 40 }, () => hooked.account.conversion(hooked.affiliate.id)),
      );
      const hooks = await hooked.receiver.waitFor(well.at, sales.length);
      expect(new Set(hooks.map(({ envelope }) => envelope.data.id))).toEqual(
        new Set(sales.map(({ id }) => id)),
      );
      // an attempt against a hanging receiver lasts four seconds, and only a few run at the same
      // time: had they delayed the other endpoint, all of them would be over by now
      const unfinished = (await hooked.deliveries(stuck.id)).filter(
        ({ status, attempt_count }) => status === 'sending' || attempt_count === 0,
      );
      expect(unfinished.length).toBeGreaterThan(0);
      await Promise.all([unsubscribe(stuck), unsubscribe(well)]);
    });

    it('that is unavailable gets retries until it is back', async () => {
      const port = await unusedPort();
      const first = await startHookReceiver({ port });
      const endpoint = await hooked.account.subscribe(first.url('/away'), ['conversion.created']);
      await first.close();
      const [sale] = await hooked.sell();
      await hooked.waitForFirstRetry(endpoint.id);
      const back = await startHookReceiver({ port });
      try {
        await hooked.retryUntil(endpoint.id, 'succeeded');
        expect(back.hooks('/away').map(({ envelope }) => envelope.data.id)).toEqual([sale?.id]);
      } finally {
        await unsubscribe(endpoint);
        await back.close();
      }
    });
  });
};
