/// <reference types="jest" />
import {
  type Affiliate,
  type Endpoint,
  eventually,
  expectStatus,
  type Hook,
  type HookReceiver,
  type ServiceFactory,
  signatureFaults,
  startHookReceiver,
  TestAccount,
  uniqueText,
} from '@refledger/testing';

export const quickRetrySettings = {
  WEBHOOK_RETRY_SCHEDULE: '200ms,200ms,300ms,1500ms',
  WEBHOOK_TIMEOUT: '4s',
};
const totalAttempts = 5;

/** Tests deliveries that a receiver does not accept, on a service with `quickRetrySettings`. */
export const webhookRetriesSuite = (service: ServiceFactory): void => {
  describe('a failing receiver', () => {
    let receiver: HookReceiver;
    let account: TestAccount;
    let affiliate: Affiliate;
    beforeAll(async () => {
      receiver = await startHookReceiver();
      ({ account, affiliate } = await TestAccount.withAffiliate(await service()));
    });
    afterAll(() => receiver.close());

    const path = (): string => `/${uniqueText('hook')}`;
    const subscribe = (at: string) => account.subscribe(receiver.url(at), ['conversion.created']);
    const unsubscribe = async (at: string): Promise<void> =>
      void expectStatus(
        204,
        await account.api.delete('/v1/webhooks/subscribe', {
          query: { target_url: receiver.url(at) },
        }),
      );
    const statusOf = async (endpoint: Endpoint): Promise<string | undefined> =>
      (await account.all<Endpoint>('/v1/webhooks')).find(({ id }) => id === endpoint.id)?.status;
    const bytesOf = (hooks: readonly Hook[]): Set<string> =>
      new Set(hooks.map(({ bytes }) => bytes.toString('hex')));
    /**
     * Waits longer than a whole retry schedule, measured with another endpoint. Every attempt that
     * was still due has been made by then.
     */
    const scheduleOver = async (): Promise<void> => {
      const at = path();
      receiver.script(at, () => ({ status: 500 }));
      await subscribe(at);
      await account.conversion(affiliate.id);
      await receiver.waitFor(at, totalAttempts);
      await unsubscribe(at);
    };

    it.each([500, 400, 404, 503, 429, 302, 304])(
      'that responds with %d gets a retry, with the same bytes and ids',
      async (status) => {
        const at = path();
        receiver.script(at, (_hook, attempt) => ({ status: attempt < 3 ? status : 204 }));
        const { secret } = await subscribe(at);
        await account.conversion(affiliate.id);
        const hooks = await receiver.waitFor(at, 3);
        expect(bytesOf(hooks).size).toBe(1);
        for (const name of ['webhook-id', 'x-service-delivery', 'x-service-signature'])
          expect([name, new Set(hooks.map(({ headers }) => headers[name])).size]).toEqual([
            name,
            1,
          ]);
        expect(hooks.flatMap((hook) => signatureFaults(hook, secret))).toEqual([]);
        await unsubscribe(at);
      },
    );

    it('every 2xx is a success', async () => {
      const paths = [200, 201, 202, 204, 299].map((status) => ({ status, at: path() }));
      for (const { status, at } of paths) {
        receiver.script(at, () => ({ status }));
        await subscribe(at);
      }
      await account.conversion(affiliate.id);
      for (const { at } of paths) await receiver.waitFor(at, 1);
      await scheduleOver();
      for (const { at } of paths)
        expect(new Set(receiver.hooks(at).map(({ headers }) => headers['webhook-id'])).size).toBe(
          receiver.hooks(at).length,
        );
      for (const { at } of paths) await unsubscribe(at);
    });

    it('redirects are not followed', async () => {
      const [at, elsewhere] = [path(), path()];
      receiver.script(at, (_hook, attempt) =>
        attempt === 1
          ? { status: 307, headers: { location: receiver.url(elsewhere) } }
          : { status: 200 },
      );
      await subscribe(at);
      await account.conversion(affiliate.id);
      await receiver.waitFor(at, 2);
      expect(receiver.hooks(elsewhere)).toEqual([]);
      await unsubscribe(at);
    });

    it.each([
      [429, 'seconds'],
      [503, 'seconds'],
      [503, 'a date'],
    ])(
      'Retry-After on %d in %s is honoured, and the attempt is signed with its own time',
      async (status, form) => {
        const retryAfter = (): string =>
          form === 'seconds' ? '2' : new Date(Date.now() + 3_000).toUTCString();
        const at = path();
        receiver.script(at, (_hook, attempt) =>
          attempt === 1 ? { status, headers: { 'retry-after': retryAfter() } } : { status: 200 },
        );
        const { secret } = await subscribe(at);
        await account.conversion(affiliate.id);
        const hooks = await receiver.waitFor(at, 2);
        const [first, second] = hooks.map((hook) => ({
          at: hook.at,
          signedAt: Number(hook.headers['webhook-timestamp']),
        }));
        expect((second?.at ?? 0) - (first?.at ?? 0)).toBeGreaterThanOrEqual(1_900);
        expect(second?.signedAt).toBeGreaterThan(first?.signedAt ?? Infinity);
        expect(hooks.flatMap((hook) => signatureFaults(hook, secret))).toEqual([]);
        await unsubscribe(at);
      },
    );

    it('that always fails gets every attempt of the schedule and no more, and its endpoint stays enabled', async () => {
      const at = path();
      let broken = true;
      receiver.script(at, () => ({ status: broken ? 500 : 200 }));
      const endpoint = await subscribe(at);
      await account.conversion(affiliate.id);
      await receiver.waitFor(at, totalAttempts);
      broken = false;
      await scheduleOver();
      const [first] = receiver.hooks(at);
      expect(
        receiver.hooks(at).filter(({ envelope }) => envelope.id === first?.envelope.id),
      ).toHaveLength(totalAttempts);
      expect(await statusOf(endpoint)).toBe('enabled');
      const next = await account.conversion(affiliate.id);
      await receiver.waitFor(at, (hooks) =>
        hooks.some(({ envelope }) => envelope.data.id === next.id),
      );
      await unsubscribe(at);
    });

    it('that responds with 410 is disabled, and its unfinished deliveries are canceled, until it subscribes again', async () => {
      const at = path();
      let gone = false;
      receiver.script(at, () => ({ status: gone ? 410 : 500 }));
      const endpoint = await subscribe(at);
      await Promise.all(Array.from({ length: 4 }, () => account.conversion(affiliate.id)));
      await receiver.waitFor(at, 4);
      gone = true;
      // on a slow machine the others may have failed for good by now
      await account.conversion(affiliate.id);
      await eventually(async () => expect(await statusOf(endpoint)).toBe('disabled'));
      await scheduleOver();
      const before = receiver.hooks(at).length;
      await account.conversion(affiliate.id);
      await scheduleOver();
      expect(receiver.hooks(at)).toHaveLength(before);

      gone = false;
      receiver.script(at, () => ({ status: 200 }));
      const again = expectStatus(
        200,
        await account.api.post<Endpoint>('/v1/webhooks/subscribe', {
          target_url: endpoint.target_url,
          events: ['conversion.created'],
        }),
      );
      expect([again.id, again.status]).toEqual([endpoint.id, 'enabled']);
      const next = await account.conversion(affiliate.id);
      const hooks = await receiver.waitFor(at, (all) =>
        all.some(({ envelope }) => envelope.data.id === next.id),
      );
      expect(signatureFaults(hooks.at(-1) as Hook, endpoint.secret)).toEqual([]);
      expect(hooks).toHaveLength(before + 1);
      await unsubscribe(at);
    });

    it('that unsubscribes gets no retry', async () => {
      const at = path();
      receiver.script(at, (_hook, attempt) =>
        attempt === 1 ? { status: 503, headers: { 'retry-after': '1' } } : { status: 500 },
      );
      await subscribe(at);
      await account.conversion(affiliate.id);
      await receiver.waitFor(at, 1);
      await unsubscribe(at);
      const before = receiver.hooks(at).length;
      await scheduleOver();
      expect(receiver.hooks(at).length - before).toBeLessThanOrEqual(1);
      const settled = receiver.hooks(at).length;
      await scheduleOver();
      expect(receiver.hooks(at)).toHaveLength(settled);
    });

    it('retries are signed with the current secret', async () => {
      const at = path();
      const { target_url } = await subscribe(at);
      const secret = 'the new secret, of my own';
      let changed: Promise<unknown> | undefined;
      const isSigned = (hook: Hook): boolean => signatureFaults(hook, secret).length === 0;
      receiver.script(at, (hook, attempt) => {
        if (attempt === 1)
          changed = account.api.post('/v1/webhooks/subscribe', {
            target_url,
            events: ['conversion.created'],
            secret,
          });
        return isSigned(hook) ? { status: 200 } : { status: 503, headers: { 'retry-after': '3' } };
      });
      await account.conversion(affiliate.id);
      const hooks = await receiver.waitFor(at, (all) => all.some(isSigned));
      await changed;
      expect(bytesOf(hooks).size).toBe(1);
      await unsubscribe(at);
    });

    it.each(['never', 'drip'] as const)(
      'that hangs (%s) gets a retry after the timeout',
      async (how) => {
        const at = path();
        receiver.script(at, (_hook, attempt) => (attempt === 1 ? how : { status: 200 }));
        await subscribe(at);
        await account.conversion(affiliate.id);
        const hooks = await receiver.waitFor(at, 2);
        expect(bytesOf(hooks).size).toBe(1);
        await unsubscribe(at);
      },
    );

    it.each(['never', 'drip'] as const)('that hangs (%s) does not delay another', async (how) => {
      const [stuck, well] = [path(), path()];
      receiver.script(stuck, () => how);
      await subscribe(stuck);
      const first = await account.conversion(affiliate.id);
      await receiver.waitFor(stuck, 1);
      await subscribe(well);
      const sales = await Promise.all(
        Array.from({ length: 40 }, () => account.conversion(affiliate.id)),
      );
      const hooks = await receiver.waitFor(well, sales.length);
      expect(new Set(hooks.map(({ envelope }) => envelope.data.id))).toEqual(
        new Set(sales.map(({ id }) => id)),
      );
      // an attempt against a hanging receiver lasts four seconds: had these attempts delayed the
      // other endpoint, all attempts of the first delivery would be over by now
      expect(
        receiver.hooks(stuck).filter(({ envelope }) => envelope.data.id === first.id).length,
      ).toBeLessThan(totalAttempts);
      await Promise.all([unsubscribe(stuck), unsubscribe(well)]);
    });

    it('that is unavailable gets retries until it is back', async () => {
      const first = await startHookReceiver();
      await account.subscribe(first.url('/away'), ['conversion.created']);
      await first.close();
      const sale = await account.conversion(affiliate.id);
      const back = await startHookReceiver(first.port);
      try {
        const [hook] = await back.waitFor('/away', 1);
        expect(hook?.envelope.data.id).toBe(sale.id);
      } finally {
        await account.api.delete('/v1/webhooks/subscribe', {
          query: { target_url: back.url('/away') },
        });
        await back.close();
      }
    });
  });
};
