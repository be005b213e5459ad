import fc from 'fast-check';
import { derivedId, toInstant, type StatsPeriod } from '@refledger/contracts';
import { pointsOf, type EndpointStatistics, type StatisticsPoint } from '@refledger/delivery-store';
import { endpointStats, statsRange } from './endpoint-stats.js';

const endpointId = derivedId('endpoint', 'one');
const now = Date.parse('2026-01-31T09:30:12.345Z');
const latest = { now, oldest: undefined };

const point = (
  period: StatsPeriod,
  startsAt: string,
  statistics: Partial<EndpointStatistics>,
): StatisticsPoint => ({
  endpointId,
  period,
  startsAt,
  statistics: { deliveries: {}, attempts: {}, durations: {}, timesToSuccess: {}, ...statistics },
});

describe.each([
  { period: '1h', from: '2026-01-31T08:31:00.000Z', to: '2026-01-31T09:30:00.000Z', points: 60 },
  { period: '24h', from: '2026-01-30T10:00:00.000Z', to: '2026-01-31T09:00:00.000Z', points: 24 },
  { period: '7d', from: '2026-01-24T12:00:00.000Z', to: '2026-01-31T06:00:00.000Z', points: 28 },
  { period: '30d', from: '2026-01-02T00:00:00.000Z', to: '2026-01-31T00:00:00.000Z', points: 30 },
] as const)('the period $period', ({ period, from, to, points }) => {
  const { pointMs } = pointsOf[period];

  it('reads one document per point at most, and shows all points', () => {
    const range = statsRange(endpointId, period, now);
    expect(range).toEqual({ endpointId, period, from, to });
    const { series } = endpointStats(range, [], latest);
    expect(series.map(({ starts_at }) => Date.parse(starts_at))).toEqual(
      Array.from({ length: points }, (_, n) => Date.parse(from) + n * pointMs),
    );
    expect(series.at(-1)?.starts_at).toBe(to);
  });

  it('law: the last point contains the time, whenever it is', () => {
    fc.assert(
      fc.property(fc.integer({ min: 1e12, max: 4e12 }), (at) => {
        const range = statsRange(endpointId, period, at);
        const last = Date.parse(range.to);
        expect(last).toBeLessThanOrEqual(at);
        expect(last + pointMs).toBeGreaterThan(at);
        expect(last - Date.parse(range.from)).toBe((points - 1) * pointMs);
      }),
    );
  });

  it('law: every count is the sum over the series', () => {
    const count = fc.nat(1_000);
    const statistics = fc.record({
      deliveries: fc.record({ succeeded: count, failed: count, canceled: count }),
      attempts: fc.record({ succeeded: count, timeout: count, unknown: count }),
    });
    const counted = fc.uniqueArray(fc.tuple(fc.nat(points - 1), statistics), {
      selector: ([n]) => n,
    });
    fc.assert(
      fc.property(counted, (all) => {
        const stats = endpointStats(
          statsRange(endpointId, period, now),
          all.map(([n, of]) => point(period, toInstant(Date.parse(from) + n * pointMs), of)),
          latest,
        );
        for (const name of ['succeeded', 'failed', 'canceled'] as const) {
          const sum = all.reduce((total, [, { deliveries }]) => total + deliveries[name], 0);
          expect(stats.deliveries[name]).toBe(sum);
          expect(stats.series.reduce((total, one) => total + one.deliveries[name], 0)).toBe(sum);
        }
        for (const name of ['succeeded', 'timeout', 'unknown'] as const) {
          const sum = all.reduce((total, [, { attempts }]) => total + attempts[name], 0);
          expect(stats.attempts[name]).toBe(sum);
          expect(stats.series.reduce((total, one) => total + one.attempts[name], 0)).toBe(sum);
        }
      }),
    );
  });
});

it('shows rates and percentiles of the period and of each point', () => {
  const stats = endpointStats(
    statsRange(endpointId, '7d', now),
    [
      point('7d', '2026-01-24T12:00:00.000Z', {
        deliveries: { succeeded: 3, canceled: 2 },
        attempts: { succeeded: 3, timeout: 1, unknown: 5 },
        durations: { 40: 4 },
        timesToSuccess: { 50: 3 },
      }),
      point('7d', '2026-01-31T06:00:00.000Z', {
        deliveries: { failed: 1 },
        attempts: { timeout: 4, bad_status: 2 },
        durations: { 10: 2, 90: 4 },
      }),
    ],
    {
      now,
      oldest: { id: derivedId('delivery', '1'), status: 'held', createdAt: toInstant(now - 1) },
    },
  );
  expect(stats).toMatchObject({
    object: 'webhook_stats',
    endpoint_id: endpointId,
    period: '7d',
    since: '2026-01-24T12:00:00.000Z',
    until: '2026-01-31T09:30:12.345Z',
    deliveries: { succeeded: 3, failed: 1, canceled: 2, success_rate: 0.75 },
    attempts: { succeeded: 3, timeout: 5, bad_status: 2, unknown: 5, dns: 0, success_rate: 0.3 },
    attempt_duration_ms: { p50: 43, p95: 5_066, p99: 5_066 },
    time_to_success_ms: { p50: 112, p95: 112, p99: 112 },
    oldest_waiting: {
      id: derivedId('delivery', '1'),
      status: 'held',
      created_at: '2026-01-31T09:30:12.344Z',
    },
  });
  const [first, second] = stats.series;
  expect(first).toMatchObject({
    deliveries: { succeeded: 3, failed: 0, canceled: 2, success_rate: 1 },
    attempts: { succeeded: 3, timeout: 1, unknown: 5, success_rate: 0.75 },
    attempt_duration_p95_ms: 43,
    time_to_success_p95_ms: 112,
  });
  expect(second).toMatchObject({
    starts_at: '2026-01-24T18:00:00.000Z',
    deliveries: { success_rate: null },
    attempts: { succeeded: 0, success_rate: null },
    attempt_duration_p95_ms: null,
  });
  expect(stats.series.at(-1)).toMatchObject({
    deliveries: { failed: 1, success_rate: 0 },
    attempt_duration_p95_ms: 5_066,
    time_to_success_p95_ms: null,
  });
});

it('has figures when nothing was counted', () => {
  expect(endpointStats(statsRange(endpointId, '24h', now), [], latest)).toMatchObject({
    deliveries: { succeeded: 0, failed: 0, canceled: 0, success_rate: null },
    attempts: { succeeded: 0, success_rate: null },
    attempt_duration_ms: { p50: null, p95: null, p99: null },
    time_to_success_ms: { p50: null, p95: null, p99: null },
    oldest_waiting: null,
  });
});
