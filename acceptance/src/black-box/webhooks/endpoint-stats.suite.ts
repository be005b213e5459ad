/// <reference types="jest" />
import {
  expectStatus,
  type MovableClock,
  type ServiceFactory,
  TestAccount,
  unknownId,
  type WebhookStats,
} from '@refledger/testing';
import { expectIssues, expectProblem, like } from '../expect-problem.js';
import { HookedAccount } from './hooked-account.js';

const noAttempts = {
  succeeded: 0,
  bad_status: 0,
  redirect: 0,
  timeout: 0,
  connection: 0,
  dns: 0,
  tls: 0,
  target_not_allowed: 0,
  too_long: 0,
  unknown: 0,
};

/** Tests the statistics of endpoints, on a service with `retrySettings`. */
export const endpointStatsSuite = (service: ServiceFactory, clock: MovableClock): void => {
  describe('the statistics of an endpoint', () => {
    let hooked: HookedAccount;
    beforeAll(async () => void (hooked = await HookedAccount.open(service, clock)));
    afterAll(() => hooked.close());

    const stats = async (id: string, query: Readonly<Record<string, string>> = {}) =>
      expectStatus(200, await hooked.api.get<WebhookStats>(`/v1/webhooks/${id}/stats`, { query }));
    /** The statistics once they show that this number of deliveries has ended. */
    const statsAfter = (id: string, ended: number): Promise<WebhookStats> =>
      hooked.whileRetrying(id, async () => {
        // statistics are written every few seconds
        await clock.pass(1_000);
        const found = await stats(id);
        const { succeeded, failed, canceled } = found.deliveries;
        expect(succeeded + failed + canceled).toBe(ended);
        return found;
      });
    const total = (points: readonly (number | null | undefined)[]): number =>
      points.reduce<number>((sum, count) => sum + (count ?? 0), 0);

    it('count its deliveries and attempts exactly, in every period', async () => {
      const { at, id } = await hooked.subscribe();
      // the first sale is never accepted, the second one at the third attempt
      const attemptsOf = new Map<string, number>();
      hooked.receiver.script(at, ({ headers }) => {
        const event = String(headers['webhook-id']);
        const attempt = (attemptsOf.get(event) ?? 0) + 1;
        attemptsOf.set(event, attempt);
        const place = [...attemptsOf.keys()].indexOf(event);
        return { status: place === 0 || (place === 1 && attempt < 3) ? 500 : 200 };
      });
      await hooked.sell(4);
      const counted = await statsAfter(id, 4);
      expect(counted).toMatchObject({
        object: 'webhook_stats',
        endpoint_id: id,
        period: '24h',
        since: like.instant(),
        until: like.instant(),
        deliveries: { succeeded: 3, failed: 1, canceled: 0, success_rate: 0.75 },
        attempts: { ...noAttempts, succeeded: 3, bad_status: 7, success_rate: 0.3 },
        oldest_waiting: null,
      });
      for (const { p50, p95, p99 } of [counted.attempt_duration_ms, counted.time_to_success_ms]) {
        expect(p50).toBeGreaterThanOrEqual(0);
        expect(p95).toBeGreaterThanOrEqual(p50 ?? NaN);
        expect(p99).toBeGreaterThanOrEqual(p95 ?? NaN);
      }
      // the second sale waited for two retries, of a minute and of two
      expect(counted.time_to_success_ms.p99).toBeGreaterThan(150_000);

      const { attempts, deliveries } = counted;
      for (const [period, points] of [
        ['1h', 60],
        ['24h', 24],
        ['7d', 28],
        ['30d', 30],
      ] as const) {
        const found = await stats(id, { period });
        expect(found).toMatchObject({ period, deliveries, attempts });
        const { series } = found;
        expect(series).toHaveLength(points);
        expect(found.since).toBe(series[0]?.starts_at);
        expect(series.map(({ starts_at }) => starts_at)).toEqual(
          series.map(({ starts_at }) => starts_at).toSorted(),
        );
        for (const name of ['succeeded', 'failed', 'canceled'] as const)
          expect(total(series.map((point) => point.deliveries[name]))).toBe(deliveries[name]);
        for (const name of Object.keys(noAttempts))
          expect(total(series.map((point) => point.attempts[name]))).toBe(attempts[name]);
      }
    });

    it('show the oldest delivery that waits or is held, and what was dropped', async () => {
      const { id } = await hooked.subscribe();
      await hooked.change(id, { status: 'paused' });
      await hooked.sell(2);
      const [oldest] = await hooked.waitForDeliveries(id, 'held', 2);
      expect((await stats(id)).oldest_waiting).toEqual({
        id: oldest?.id,
        status: 'held',
        created_at: oldest?.created_at,
      });
      await hooked.change(id, { status: 'enabled', held: 'drop' });
      expect(await statsAfter(id, 2)).toMatchObject({
        deliveries: { succeeded: 0, failed: 0, canceled: 2, success_rate: null },
        attempts: { ...noAttempts, success_rate: null },
        attempt_duration_ms: { p50: null, p95: null, p99: null },
        oldest_waiting: null,
      });
    });

    it('count no tests', async () => {
      const { id } = await hooked.subscribe();
      expectStatus(200, await hooked.api.post(`/v1/webhooks/${id}/test`, undefined));
      await hooked.sell();
      expect(await statsAfter(id, 1)).toMatchObject({
        deliveries: { succeeded: 1 },
        attempts: { ...noAttempts, succeeded: 1 },
      });
    });

    it('are read with scope `read`', async () => {
      const { id } = await hooked.subscribe();
      const reader = await hooked.account.withScope('read');
      const found = expectStatus(200, await reader.get<WebhookStats>(`/v1/webhooks/${id}/stats`));
      expect(found.deliveries).toEqual({
        succeeded: 0,
        failed: 0,
        canceled: 0,
        success_rate: null,
      });
    });

    it('of an unknown endpoint, a deleted one, or another account’s, are not found', async () => {
      const { id } = await hooked.subscribe();
      const stranger = await TestAccount.open(await service());
      expectProblem(await stranger.api.get(`/v1/webhooks/${id}/stats`), 404, 'not_found');
      for (const unknown of [unknownId('whk'), 'nonsense'])
        expectProblem(await hooked.api.get(`/v1/webhooks/${unknown}/stats`), 404, 'not_found');
      expectStatus(204, await hooked.api.delete(`/v1/webhooks/${id}`));
      expectProblem(await hooked.api.get(`/v1/webhooks/${id}/stats`), 404, 'not_found');
    });

    it('reject another period, and unknown parameters', async () => {
      const { id } = await hooked.subscribe();
      const get = (query: Readonly<Record<string, string>>) =>
        hooked.api.get(`/v1/webhooks/${id}/stats`, { query });
      for (const period of ['2h', '1d', ''])
        expectIssues(await get({ period }), 'validation_failed', ['period']);
      expectIssues(await get({ since: '2026-01-31T00:00:00Z' }), 'unknown_field', ['since']);
    });
  });
};
