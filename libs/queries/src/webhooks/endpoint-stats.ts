import {
  toInstant,
  type EndpointId,
  type StatsPeriod,
  type WebhookStatsRecord,
} from '@refledger/contracts';
import {
  pointsOf,
  quantile,
  startOfPoint,
  sumOf,
  type EndpointStatistics,
  type StatisticsPoint,
  type StatisticsRange,
  type WaitingDelivery,
} from '@refledger/delivery-store';

/**
 * The points of a period that ends with the one in progress. There is one document per point at
 * most: 60, 24, 28 or 30 are read, however many deliveries there were.
 */
export const statsRange = (
  endpointId: EndpointId,
  period: StatsPeriod,
  now: number,
): StatisticsRange => {
  const { pointMs, points } = pointsOf[period];
  const from = startOfPoint(period, now - (points - 1) * pointMs);
  return { endpointId, period, from, to: startOfPoint(period, now) };
};

/** The statistics of an endpoint as the API shows them. */
export const endpointStats = (
  { endpointId, period, from }: StatisticsRange,
  counted: readonly StatisticsPoint[],
  { now, oldest }: { readonly now: number; readonly oldest: WaitingDelivery | undefined },
): WebhookStatsRecord => {
  const { pointMs, points } = pointsOf[period];
  const byStart = new Map(counted.map(({ startsAt, statistics }) => [startsAt, statistics]));
  const series = Array.from({ length: points }, (_, n) => {
    const startsAt = toInstant(Date.parse(from) + n * pointMs);
    return { startsAt, sum: byStart.get(startsAt) ?? nothing };
  });
  const total = sumOf(series.map(({ sum }) => sum));
  return {
    object: 'webhook_stats',
    endpoint_id: endpointId,
    period,
    since: from,
    until: toInstant(now),
    ...countsOf(total),
    attempt_duration_ms: percentiles(total.durations),
    time_to_success_ms: percentiles(total.timesToSuccess),
    oldest_waiting:
      oldest === undefined
        ? null
        : { id: oldest.id, status: oldest.status, created_at: oldest.createdAt },
    series: series.map(({ startsAt, sum }) => ({
      starts_at: startsAt,
      ...countsOf(sum),
      attempt_duration_p95_ms: p95(sum.durations),
      time_to_success_p95_ms: p95(sum.timesToSuccess),
    })),
  };
};

const nothing = sumOf([]);

const countsOf = ({
  deliveries: { succeeded = 0, failed = 0, canceled = 0 },
  attempts: counted,
}: EndpointStatistics): Pick<WebhookStatsRecord, 'deliveries' | 'attempts'> => {
  const attempts = { ...noAttempts, ...counted };
  const known = Object.values(attempts).reduce((sum, n) => sum + n, 0) - attempts.unknown;
  return {
    deliveries: { succeeded, failed, canceled, success_rate: rate(succeeded, succeeded + failed) },
    attempts: { ...attempts, success_rate: rate(attempts.succeeded, known) },
  };
};

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
} satisfies Required<EndpointStatistics['attempts']>;

const rate = (part: number, all: number): number | null => (all === 0 ? null : part / all);

const percentiles = (
  histogram: EndpointStatistics['durations'],
): WebhookStatsRecord['attempt_duration_ms'] => ({
  p50: quantile(histogram, 0.5) ?? null,
  p95: p95(histogram),
  p99: quantile(histogram, 0.99) ?? null,
});

const p95 = (histogram: EndpointStatistics['durations']): number | null =>
  quantile(histogram, 0.95) ?? null;
