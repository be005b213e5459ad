/// <reference types="jest" />
import type { StatsPeriod } from '@refledger/contracts';
import type { EndpointStatistics } from '../statistics/endpoint-statistics.js';
import type { StatisticsPoint } from '../statistics-store.js';
import {
  endpointOf,
  leaseOf,
  planned,
  plannedHeld,
  planOf,
  retried,
  t,
  type StoreUnderTest,
} from './under-test.js';

const hour = 3_600;

/** Tests what is kept of the statistics of endpoints. */
export const statistics = (at: StoreUnderTest): void => {
  const point = (
    startsAt: string,
    counts: Partial<EndpointStatistics> = {},
    { endpoint = 'a', period = '24h' }: { endpoint?: string; period?: StatsPeriod } = {},
  ): StatisticsPoint => ({
    endpointId: endpointOf(endpoint),
    period,
    startsAt,
    statistics: {
      deliveries: {},
      attempts: { succeeded: 1 },
      durations: {},
      timesToSuccess: {},
      ...counts,
    },
  });
  const all = { from: t(0), to: t(100 * hour) };
  const read = (endpoint = 'a', period: StatsPeriod = '24h', range = all) =>
    at.store.statistics({ endpointId: endpointOf(endpoint), period, ...range });

  describe('statistics', () => {
    it('are added up per endpoint, period and start, by the store and for a reader', async () => {
      const reader = await at.fixture.read();
      const [first, second] = [
        {
          deliveries: { succeeded: 1, canceled: 2 },
          attempts: { succeeded: 1, bad_status: 4 },
          durations: { 0: 1, 17: 3, 300: 1 },
          timesToSuccess: {},
        },
        {
          deliveries: { succeeded: 5 },
          attempts: { timeout: 1, bad_status: 1 },
          durations: { 17: 2, 18: 1 },
          timesToSuccess: { 101: 5 },
        },
      ];
      await at.store.addStatistics([
        point(t(0), first),
        point(t(0), first, { endpoint: 'b' }),
        point(t(0), first, { period: '1h' }),
      ]);
      await at.store.addStatistics([point(t(0), second), point(t(hour), second)]);
      const sum = point(t(0), {
        deliveries: { succeeded: 6, canceled: 2 },
        attempts: { succeeded: 1, bad_status: 5, timeout: 1 },
        durations: { 0: 1, 17: 5, 18: 1, 300: 1 },
        timesToSuccess: { 101: 5 },
      });
      expect(await read()).toEqual([sum, point(t(hour), second)]);
      expect(await read('b')).toEqual([point(t(0), first, { endpoint: 'b' })]);
      expect(await read('a', '1h')).toEqual([point(t(0), first, { period: '1h' })]);
      expect(
        await reader.statistics({ endpointId: endpointOf('a'), period: '24h', ...all }),
      ).toEqual(await read());
      await reader.close();
    });

    it('are read between two starts, in order', async () => {
      for (const hours of [3, 0, 2, 1, 4]) await at.store.addStatistics([point(t(hours * hour))]);
      const found = await read('a', '24h', { from: t(hour), to: t(3 * hour) });
      expect(found.map(({ startsAt }) => startsAt)).toEqual([t(hour), t(2 * hour), t(3 * hour)]);
      expect(await read('c')).toEqual([]);
    });

    it('lose nothing when several dispatchers add to one point at once', async () => {
      const other = await at.fixture.open();
      const times = 20;
      await Promise.all(
        Array.from({ length: times }, (_, n) => {
          const points = [0, 1, 2].map((hours) => point(t((n % 2) * hour + hours * hour)));
          return Promise.all([at.store.addStatistics(points), other.addStatistics(points)]);
        }),
      );
      const counted = (await read()).map(({ statistics: one }) => one.attempts.succeeded);
      expect(counted).toEqual([times, 2 * times, 2 * times, times]);
      await other.close();
    });

    it('are removed once they are old, a few at a time, each period on its own', async () => {
      const hours = [0, 1, 2, 3];
      for (const period of ['1h', '24h'] as const)
        await at.store.addStatistics(
          hours.flatMap((n) =>
            ['a', 'b'].map((endpoint) => point(t(n * hour), {}, { endpoint, period })),
          ),
        );
      expect(await at.store.removeStatistics('24h', t(2 * hour), 3)).toBe(3);
      expect(await at.store.removeStatistics('24h', t(2 * hour), 3)).toBe(1);
      expect(await at.store.removeStatistics('24h', t(2 * hour), 3)).toBe(0);
      for (const endpoint of ['a', 'b']) {
        expect((await read(endpoint)).map(({ startsAt }) => startsAt)).toEqual([
          t(2 * hour),
          t(3 * hour),
        ]);
        expect(await read(endpoint, '1h')).toHaveLength(4);
      }
    });
  });

  describe('the oldest delivery that waits', () => {
    const oldest = async (endpoint = 'a') => {
      const reader = await at.fixture.read();
      const found = await reader.oldestWaiting(endpointOf(endpoint));
      expect(await at.store.oldestWaiting(endpointOf(endpoint))).toEqual(found);
      await reader.close();
      return found;
    };

    it('is the first one planned, waiting or held, or none', async () => {
      expect(await oldest()).toBeUndefined();
      await at.store.plan(planOf([planned('a', 1, 'sending')]), leaseOf('one', 1));
      expect(await oldest()).toBeUndefined();
      await at.store.plan(planOf([planned('a', 2)], 2), leaseOf('one', 2));
      await at.store.plan(planOf([plannedHeld('b', 3)], 3), leaseOf('one', 3));
      expect(await oldest()).toEqual({
        id: planned('a', 2).id,
        status: 'waiting',
        createdAt: t(2),
      });
      expect(await oldest('b')).toMatchObject({ status: 'held', createdAt: t(3) });
      await at.store.plan(planOf([planned('b', 4)], 4), leaseOf('one', 4));
      expect(await oldest('b')).toMatchObject({ status: 'held', createdAt: t(3) });
      // the first one waits for a retry, until after the others
      await at.store.recordOutcomes([retried(planned('a', 1), 9_999)], 'one');
      expect(await oldest()).toMatchObject({ id: planned('a', 1).id, createdAt: t(1) });
    });

    it('is never a test', async () => {
      await at.store.plan(planOf([planned('b', 9)]), leaseOf('one', 1));
      const test = { ...planned('a', 1), status: 'waiting', trigger: 'test' } as const;
      await at.store.request(test, t(1));
      expect(await oldest()).toBeUndefined();
      await at.store.plan(planOf([planned('a', 2)], 2), leaseOf('one', 5));
      expect(await oldest()).toMatchObject({ id: planned('a', 2).id });
    });
  });
};
