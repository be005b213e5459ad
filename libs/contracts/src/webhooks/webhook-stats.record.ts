import { z } from 'zod';
import { idSchema } from '../ids/ids.js';
import { instantSchema } from '../time.js';
import type { AttemptOutcome } from '../deliveries/attempt.js';
import { countOf, objectOf } from '../shared/record-fields.js';

export const statsPeriods = ['1h', '24h', '7d', '30d'] as const;
/** How far the statistics of an endpoint go back. */
export type StatsPeriod = (typeof statsPeriods)[number];

const rate = (of: string) => z.number().min(0).max(1).nullable().describe(of);

const percentile = (share: string) =>
  z.int().min(0).nullable().describe(`${share} took at most this long, in milliseconds, or null.`);

const deliveryCountsSchema = z
  .strictObject({
    succeeded: countOf('The receiver accepted them.'),
    failed: countOf('The retry schedule was used up.'),
    canceled: countOf('They are not sent any more.'),
    success_rate: rate(
      'The fraction of deliveries that succeeded, from 0 to 1. Canceled ones do not count. null if none succeeded or failed.',
    ),
  })
  .meta({ id: 'DeliveryCounts' });

const attemptCountsSchema = z
  .strictObject({
    succeeded: countOf('The response had a status of 2xx.'),
    bad_status: countOf('The response had neither a status of 2xx nor of 3xx.'),
    redirect: countOf('The response had a status of 3xx, which is not followed.'),
    timeout: countOf('The response was not complete in time.'),
    connection: countOf('No connection was made, or it ended before the response was complete.'),
    dns: countOf('The host name had no address, or the lookup failed.'),
    tls: countOf('The certificate was not accepted, or the handshake failed.'),
    target_not_allowed: countOf('The URL pointed to an address that is not public.'),
    too_long: countOf('The headers of the response were too large.'),
    unknown: countOf('The service ended during the attempt.'),
    success_rate: rate(
      'The fraction of attempts that succeeded, from 0 to 1. `unknown` ones do not count. null if there are none.',
    ),
  } satisfies Readonly<Record<AttemptOutcome | 'success_rate', z.ZodType>>)
  .meta({ id: 'AttemptCounts' });

const percentilesSchema = z
  .strictObject({
    p50: percentile('Half'),
    p95: percentile('95%'),
    p99: percentile('99%'),
  })
  .meta({ id: 'Percentiles' });

const point = {
  starts_at: instantSchema.describe(
    'The start of the point. It ends where the next one starts; the last one is in progress.',
  ),
  deliveries: deliveryCountsSchema.describe('The deliveries that ended in it.'),
  attempts: attemptCountsSchema.describe('The attempts that ended in it, by outcome.'),
  attempt_duration_p95_ms: percentile('95% of these attempts'),
  time_to_success_p95_ms: percentile('From the event to success, 95% of these deliveries'),
};

const none = { succeeded: 0, bad_status: 0, redirect: 0, timeout: 0, connection: 0 };
const noneEither = { dns: 0, tls: 0, target_not_allowed: 0, too_long: 0, unknown: 0 };
const counts = {
  deliveries: { succeeded: 1480, failed: 0, canceled: 0, success_rate: 1 },
  attempts: { ...none, ...noneEither, succeeded: 1480, timeout: 20, success_rate: 1480 / 1500 },
};

/** The statistics of one webhook endpoint, without tests. */
export const webhookStatsSchema = z
  .strictObject({
    object: objectOf('webhook_stats'),
    endpoint_id: idSchema('endpoint').describe('The endpoint of these statistics.'),
    period: z.enum(statsPeriods).describe('How far it goes back.'),
    since: instantSchema.describe('The start of the first point.'),
    until: instantSchema.describe('The time of this response.'),
    deliveries: deliveryCountsSchema.describe('The deliveries that ended in the period.'),
    attempts: attemptCountsSchema.describe('The attempts that ended in the period, by outcome.'),
    attempt_duration_ms: percentilesSchema.describe(
      'How long attempts took, including failed ones, in milliseconds, to within 10%. Each percentile is null if there are no attempts.',
    ),
    time_to_success_ms: percentilesSchema.describe(
      'From the event to the success of its delivery, including retries and waiting, in milliseconds, to within 10%. Redeliveries and replays do not count. Each percentile is null if no delivery counts.',
    ),
    oldest_waiting: z
      .strictObject({
        id: idSchema('delivery').describe('Read it for its attempts.'),
        status: z.enum(['waiting', 'held']).describe('`held`: the endpoint is paused or disabled.'),
        created_at: instantSchema.describe('When it was made.'),
      })
      .nullable()
      .describe(
        'Of the deliveries that are `waiting` or `held` now, whatever the period, the one that was created first; null if there is none.',
      ),
    series: z
      .array(z.strictObject(point).meta({ id: 'WebhookStatsPoint' }))
      .describe(
        'Oldest first: 60 minutes, 24 hours, 28 periods of six hours, or 30 days, in UTC. The last one is in progress. The totals are the sums of the points.',
      ),
  })
  .meta({
    id: 'WebhookStats',
    example: {
      object: 'webhook_stats',
      endpoint_id: `whk_${'0'.repeat(25)}1`,
      period: '24h',
      since: '2026-01-30T10:00:00.000Z',
      until: '2026-01-31T09:30:12.345Z',
      ...counts,
      attempt_duration_ms: { p50: 38, p95: 171, p99: 10_068 },
      time_to_success_ms: { p50: 46, p95: 226, p99: 15_586 },
      oldest_waiting: {
        id: `dlv_${'0'.repeat(25)}1`,
        status: 'waiting',
        created_at: '2026-01-31T09:30:00.010Z',
      },
      series: [
        {
          starts_at: '2026-01-31T09:00:00.000Z',
          ...counts,
          attempt_duration_p95_ms: 171,
          time_to_success_p95_ms: 226,
        },
      ],
    },
  });
export type WebhookStatsRecord = z.infer<typeof webhookStatsSchema>;
