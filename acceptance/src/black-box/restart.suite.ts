/// <reference types="jest" />
import {
  affiliateBody,
  type AffiliateStats,
  type ApiKey,
  type Conversion,
  conversionBody,
  type Endpoint,
  type EndSignal,
  eventually,
  expectStatus,
  type Hook,
  type HookReceiver,
  type MovableClock,
  type Page,
  scaledTimeout,
  type Service,
  type ServiceFactory,
  signatureFaults,
  startHookReceiver,
  TestAccount,
  uniqueText,
} from '@refledger/testing';
import { expectProblem } from './expect-problem.js';
import { passToRetry } from './webhooks/pass-to-retry.js';

export const restartSettings = {
  WEBHOOK_RETRY_SCHEDULE: '5m,30m,2h,5h,10h',
  RATE_LIMIT_PER_MINUTE: '0',
};

/**
 * Tests that acknowledged writes survive, however the process ends, and that deliveries continue.
 * It needs a service with `restartSettings`.
 */
export const restartSuite = (service: ServiceFactory, clock: MovableClock): void => {
  describe.each<EndSignal>(['SIGKILL', 'SIGTERM'])('after %s', (signal) => {
    let running: Service;
    let receiver: HookReceiver;
    beforeAll(async () => {
      running = await service();
      receiver = await startHookReceiver({ now: clock.now });
    });
    afterAll(() => receiver.close());

    /**
     * The deliveries of an endpoint, once there are enough. Time passes from retry to retry
     * meanwhile.
     */
    const retried = (
      account: TestAccount,
      { id, target_url }: Endpoint,
      isEnough: (hooks: readonly Hook[]) => boolean,
    ): Promise<readonly Hook[]> =>
      eventually(async () => {
        const hooks = receiver.hooks(new URL(target_url).pathname);
        if (isEnough(hooks)) return hooks;
        await passToRetry(account, id, clock);
        throw new Error(`${target_url} got only ${hooks.length} requests`);
      });

    const createKeys = async ({ api }: TestAccount) => {
      const revoked = expectStatus(
        201,
        await api.post<ApiKey>('/v1/api-keys', { name: 'k', scope: 'read' }),
      );
      expectStatus(204, await api.delete(`/v1/api-keys/${revoked.id}`));
      const expiring = expectStatus(
        201,
        await api.post<ApiKey>('/v1/api-keys', {
          name: 'k',
          scope: 'read',
          expires_at: '2999-12-31T00:00:00Z',
        }),
      );
      return { revoked, expiring };
    };
    const expectKeys = async (
      account: TestAccount,
      { revoked, expiring }: Awaited<ReturnType<typeof createKeys>>,
    ): Promise<void> => {
      expect(await account.all<ApiKey>('/v1/api-keys')).toContainEqual(
        expect.objectContaining({ id: expiring.id, expires_at: '2999-12-31T00:00:00.000Z' }),
      );
      expectStatus(200, await account.api.withKey(expiring.api_key).get('/v1/account'));
      expectProblem(
        await account.api.withKey(revoked.api_key).get('/v1/account'),
        401,
        'unauthenticated',
      );
    };
    /** Lists and statistics have exactly these sales. */
    const expectSales = async (
      account: TestAccount,
      affiliate: string,
      sales: readonly Conversion[],
    ): Promise<void> => {
      const byId = (some: readonly Conversion[]): Conversion[] =>
        some.toSorted((a, b) => (a.id < b.id ? -1 : 1));
      await eventually(async () =>
        expect(byId(await account.all<Conversion>('/v1/conversions'))).toEqual(byId(sales)),
      );
      await eventually(async () => {
        const { body } = await account.api.get<AffiliateStats>(`/v1/affiliates/${affiliate}/stats`);
        expect([body.conversions.total, body.currencies[0]?.sale_amount.total]).toEqual([
          sales.length,
          sales.reduce((sum, { sale_amount }) => sum + sale_amount, 0),
        ]);
      });
    };

    it(
      'every record is unchanged',
      async () => {
        const again = (): Promise<void> => running.restart(signal);
        const account = await TestAccount.open(running);
        const at = `/${uniqueText('story')}`;

        await again();
        const affiliate = await account.affiliate();
        const idempotent = { headers: { 'idempotency-key': uniqueText('key') } };
        const keyed = affiliateBody();
        const second = expectStatus(
          201,
          await account.api.post('/v1/affiliates', keyed, idempotent),
        );
        const { secret } = await account.subscribe(receiver.url(at), ['conversion.approved']);

        await again();
        expect((await account.all('/v1/affiliates')).length).toBe(2);
        expect((await account.api.get(`/v1/affiliates/${affiliate.id}`)).body).toEqual(affiliate);
        expect(
          expectStatus(200, await account.api.post('/v1/affiliates', keyed, idempotent)),
        ).toEqual(second);
        expectProblem(
          await account.api.post('/v1/affiliates', affiliateBody({ email: affiliate.email })),
          409,
          'affiliate_exists',
        );
        const body = conversionBody(affiliate.id, { external_transaction_id: uniqueText('sale') });
        const sale = expectStatus(201, await account.api.post<Conversion>('/v1/conversions', body));
        const keys = await createKeys(account);

        await again();
        await expectKeys(account, keys);
        expect((await account.api.get<Page<Conversion>>('/v1/conversions')).body.data).toEqual([
          sale,
        ]);
        expect(
          expectStatus(200, await account.api.post<Conversion>('/v1/conversions', body)),
        ).toEqual(sale);
        const approved = await account.update(sale, { status: 'approved' });

        await again();
        const stats = await account.api.get<AffiliateStats>(`/v1/affiliates/${affiliate.id}/stats`);
        expect(stats.body.conversions).toMatchObject({ total: 1, approved: 1, pending: 0 });
        expect(
          (await account.all<Endpoint>('/v1/webhooks')).map(({ target_url }) => target_url),
        ).toEqual([receiver.url(at)]);
        const hooks = await receiver.waitFor(at, 1);
        expect(hooks.map(({ envelope }) => envelope.data)).toEqual(hooks.map(() => approved));
        expect(hooks.flatMap((hook) => signatureFaults(hook, secret))).toEqual([]);
        expectStatus(204, await account.api.delete(`/v1/affiliates/${affiliate.id}`));

        await again();
        expectProblem(await account.api.get(`/v1/affiliates/${affiliate.id}`), 404, 'not_found');
        expect(await account.all('/v1/affiliates')).toEqual([second]);
        expectStatus(
          201,
          await account.api.post('/v1/affiliates', affiliateBody({ email: affiliate.email })),
        );
      },
      scaledTimeout(60_000),
    );

    it(
      'a conversion keeps the terms that it was recorded with',
      async () => {
        const account = await TestAccount.open(running);
        const program = await account.program({ terms: { type: 'percentage', rate_bps: 2_000 } });
        const { id } = await account.affiliate({ program_id: program.id });
        const sale = await account.conversion(id, { sale_amount: 20_000 });
        await account.update(program, {
          terms: { type: 'percentage', rate_bps: 1, hold_days: 1 },
        });
        await running.restart(signal);
        const { commission, payable_on } = sale;
        expect((await account.api.get(`/v1/conversions/${sale.id}`)).body).toEqual(sale);
        expect(await account.update(sale, { status: 'approved' })).toMatchObject({
          commission_amount: 4_000,
          commission,
          payable_on,
        });
        await running.restart(signal);
        const refunded = await account.update(sale, { refunded_amount: 5_000 });
        expect(refunded).toMatchObject({ commission_amount: 3_000, commission, payable_on });
        expect(await account.all('/v1/conversions')).toEqual([refunded]);
        expect(await account.conversion(id, { sale_amount: 20_000 })).toMatchObject({
          commission_amount: 2,
          commission: { terms_version: 2 },
        });
      },
      scaledTimeout(60_000),
    );

    it(
      'a waiting delivery continues, with the same bytes',
      async () => {
        const account = await TestAccount.open(running);
        const at = `/${uniqueText('waiting')}`;
        let well = false;
        receiver.script(at, () => ({ status: well ? 200 : 500 }));
        const endpoint = await account.subscribe(receiver.url(at), ['affiliate.created']);
        const { secret } = endpoint;
        const { id } = await account.affiliate();
        await retried(account, endpoint, (all) => all.length >= 2);
        await running.restart(signal);
        const before = receiver.hooks(at).length;
        well = true;
        const hooks = await retried(account, endpoint, (all) => all.length > before);
        expect(new Set(hooks.map(({ bytes }) => bytes.toString())).size).toBe(1);
        expect(new Set(hooks.map(({ headers }) => headers['webhook-id'])).size).toBe(1);
        expect([hooks[0]?.envelope.data.id, signatureFaults(hooks.at(-1) as Hook, secret)]).toEqual(
          [id, []],
        );
      },
      scaledTimeout(60_000),
    );

    it(
      'a delivery in flight is sent again',
      async () => {
        const account = await TestAccount.open(running);
        const at = `/${uniqueText('under-way')}`;
        receiver.script(at, () => 'never');
        const endpoint = await account.subscribe(receiver.url(at), ['affiliate.created']);
        await account.affiliate();
        await receiver.waitFor(at, 1);
        const restarted = running.restart(signal);
        receiver.script(at, () => ({ status: 200 }));
        await restarted;
        const hooks = await retried(account, endpoint, (all) => all.length >= 2);
        expect(new Set(hooks.map(({ headers }) => headers['webhook-id'])).size).toBe(1);
      },
      scaledTimeout(40_000),
    );

    it(
      'during writes, nothing acknowledged is lost, nothing is duplicated, and every event is delivered',
      async () => {
        const account = await TestAccount.open(running);
        const { id } = await account.affiliate();
        const at = `/${uniqueText('load')}`;
        const endpoint = await account.subscribe(receiver.url(at), ['conversion.created']);
        const acknowledged = new Map<string, Conversion>();
        const attempted: string[] = [];
        let writing = true;
        const write = async (): Promise<void> => {
          while (writing) {
            const name = uniqueText('sale');
            attempted.push(name);
            const response = await account.api
              .post<Conversion>(
                '/v1/conversions',
                conversionBody(id, { external_transaction_id: name }),
              )
              .catch(() => undefined);
            if (response?.status === 201) acknowledged.set(name, response.body);
            else if (response === undefined) return;
          }
        };
        const writerCount = 8;
        const writers = Promise.all(Array.from({ length: writerCount }, write));
        await receiver.waitFor(at, 100);
        await running.restart(signal);
        writing = false;
        await writers;

        // an event's webhook may arrive before the response, which the signal then cuts off
        expect(acknowledged.size).toBeGreaterThanOrEqual(100 - writerCount);
        for (const name of attempted.filter((sale) => !acknowledged.has(sale))) {
          const response = await account.api.post<Conversion>(
            '/v1/conversions',
            conversionBody(id, { external_transaction_id: name }),
          );
          expect([200, 201]).toContain(response.status);
          acknowledged.set(name, response.body);
        }
        const sales = [...acknowledged.values()];
        await expectSales(account, id, sales);
        const hooks = await retried(
          account,
          endpoint,
          (all) => new Set(all.map(({ envelope }) => envelope.data.id)).size >= sales.length,
        );
        expect(new Set(hooks.map(({ envelope }) => envelope.data.id))).toEqual(
          new Set(sales.map((row) => row.id)),
        );
        expect(new Set(hooks.map(({ headers }) => headers['webhook-id'])).size).toBe(sales.length);
      },
      scaledTimeout(60_000),
    );
  });
};
