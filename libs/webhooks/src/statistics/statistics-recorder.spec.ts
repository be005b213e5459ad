import {
  derivedId,
  toInstant,
  type AttemptOutcome,
  type EndpointId,
  type StatsPeriod,
} from '@refledger/contracts';
import { waitFor } from '@refledger/testing';
import { delivery as claimed } from '../../test/attempt-bench.js';
import { ManualClock } from '@refledger/webhook-endpoints/testing';
import {
  startedAttempt,
  type AttemptResult,
  type ClaimedDelivery,
  type StatisticsPoint,
  bucketOf,
} from '@refledger/delivery-store';
import { StatisticsRecorder } from './statistics-recorder.js';

const midnight = Date.UTC(2026, 0, 31);
const minute = 60_000;
const hour = 60 * minute;

const setUp = (failures = 0) => {
  const clock = new ManualClock(midnight);
  const writes: (readonly StatisticsPoint[])[] = [];
  const logged: string[] = [];
  let failing = failures;
  const recorder = new StatisticsRecorder({
    store: {
      addStatistics: (points) => {
        if (failing-- > 0) return Promise.reject(new Error('the store is down'));
        writes.push(structuredClone(points));
        return Promise.resolve();
      },
    },
    clock,
    logger: { warn: (_about: object, message: string) => void logged.push(message) },
    logRetry: (what) => void logged.push(what),
  });
  /** Reports an attempt that ends now and took 100 ms, of an event that was recorded 2 s ago. */
  const attempt = (
    outcome: AttemptOutcome | null,
    next: AttemptResult['next'],
    about: Partial<ClaimedDelivery> = {},
  ): void => {
    const now = clock.now();
    const body = JSON.stringify({ timestamp: toInstant(now - 2_000) });
    const ended = { ...startedAttempt(1, toInstant(now - 100)), finishedAt: toInstant(now) };
    recorder.attempted(
      { ...claimed, body, ...about },
      { attempt: outcome && { ...ended, outcome }, endedAt: toInstant(now), next },
    );
  };
  return { clock, writes, logged, recorder, attempt };
};
const succeeded = { status: 'succeeded' } as const;
const retried = { status: 'waiting', dueAt: toInstant(midnight + hour) } as const;
const failed = { status: 'failed', reason: 'given up' } as const;
const canceled = { status: 'canceled', reason: 'unsubscribed' } as const;
const { endpointId } = claimed;
const another: EndpointId = derivedId('endpoint', 'another');

/** The counts of the only point of a period. */
const countsIn = (points: readonly StatisticsPoint[] | undefined, period: StatsPeriod) => {
  const [found, ...more] = points?.filter((point) => point.period === period) ?? [];
  expect(more).toEqual([]);
  return found?.statistics;
};

it('counts attempts by outcome, and the deliveries that ended', async () => {
  const { writes, recorder, attempt } = setUp();
  attempt('timeout', retried);
  attempt('bad_status', retried);
  attempt('bad_status', failed);
  attempt('succeeded', succeeded);
  // nothing was sent
  attempt(null, canceled);
  attempt(null, { status: 'held' });
  recorder.canceled(endpointId, 3);
  recorder.canceled(endpointId, 0);
  await recorder.flush();
  const counts = {
    deliveries: { succeeded: 1, failed: 1, canceled: 4 },
    attempts: { timeout: 1, bad_status: 2, succeeded: 1 },
    durations: { [bucketOf(100)]: 4 },
    timesToSuccess: { [bucketOf(2_000)]: 1 },
  };
  for (const period of ['1h', '24h', '7d', '30d'] as const)
    expect(countsIn(writes[0], period)).toEqual(counts);
});

it('measures no time for an attempt whose end is unknown, or for an event whose delivery was requested', async () => {
  const { writes, recorder, attempt } = setUp();
  attempt('unknown', retried);
  attempt('succeeded', succeeded, { trigger: 'redeliver' });
  attempt('succeeded', succeeded, { trigger: 'replay' });
  await recorder.flush();
  expect(countsIn(writes[0], '24h')).toEqual({
    deliveries: { succeeded: 2 },
    attempts: { unknown: 1, succeeded: 2 },
    durations: { [bucketOf(100)]: 2 },
    timesToSuccess: {},
  });
});

it('counts per endpoint and point, by when the attempt ended', async () => {
  const { clock, writes, recorder, attempt } = setUp();
  clock.advance(hour - 1);
  attempt('succeeded', succeeded);
  attempt('succeeded', succeeded, { endpointId: another });
  clock.advance(1);
  attempt('succeeded', succeeded);
  clock.advance(6 * hour);
  attempt('succeeded', succeeded);
  await recorder.flush();
  const counted = writes
    .flat()
    .map(({ period, startsAt, statistics, ...point }) => [
      point.endpointId === another ? 'another' : 'one',
      period,
      (Date.parse(startsAt) - midnight) / minute,
      statistics.attempts.succeeded,
    ]);
  expect(new Set(counted)).toEqual(
    new Set([
      ['one', '1h', 59, 1],
      ['one', '1h', 60, 1],
      ['one', '1h', 7 * 60, 1],
      ['one', '24h', 0, 1],
      ['one', '24h', 60, 1],
      ['one', '24h', 7 * 60, 1],
      ['one', '7d', 0, 2],
      ['one', '7d', 6 * 60, 1],
      ['one', '30d', 0, 3],
      ['another', '1h', 59, 1],
      ['another', '24h', 0, 1],
      ['another', '7d', 0, 1],
      ['another', '30d', 0, 1],
    ]),
  );
});

it('writes five seconds after the first count, and only if there is any', async () => {
  const { clock, writes, recorder, attempt } = setUp();
  expect(clock.waiting).toBe(0);
  attempt('succeeded', succeeded);
  clock.advance(4_999);
  attempt('succeeded', succeeded);
  expect(writes).toEqual([]);
  clock.advance(1);
  await recorder.flush();
  expect(writes).toHaveLength(1);
  expect(clock.waiting).toBe(0);
});

it('keeps what cannot be written, and adds to it', async () => {
  const { clock, writes, logged, recorder, attempt } = setUp(1);
  attempt('timeout', retried);
  await recorder.flush();
  expect(writes).toEqual([]);
  expect(logged).toEqual(['writing statistics of endpoints']);
  attempt('timeout', retried);
  clock.advance(5_000);
  await recorder.flush();
  expect(writes).toHaveLength(1);
  expect(countsIn(writes[0], '24h')?.attempts).toEqual({ timeout: 2 });
});

it('writes many points in steps, and before the regular time if there are enough', async () => {
  const { writes, recorder, attempt } = setUp();
  for (let n = 0; n < 500; n++)
    attempt('succeeded', succeeded, { endpointId: derivedId('endpoint', String(n)) });
  await waitFor(() => writes.length === 80);
  expect(writes.map((points) => points.length)).toEqual(Array(80).fill(25));
  await recorder.flush();
  expect(writes).toHaveLength(80);
});

it('loses what exceeds its buffer while the store is down, and warns once', async () => {
  const { writes, logged, recorder, attempt } = setUp(1);
  attempt('succeeded', succeeded);
  await recorder.flush();
  for (let n = 0; n < 5_050; n++)
    attempt('succeeded', succeeded, { endpointId: derivedId('endpoint', String(n)) });
  expect(logged.filter((message) => message.includes('are being lost'))).toHaveLength(1);
  await recorder.flush();
  expect(writes.flat()).toHaveLength(20_000);
});

it('writes no more on its own once it is stopped', async () => {
  const { clock, writes, recorder, attempt } = setUp();
  attempt('succeeded', succeeded);
  recorder.stop();
  attempt('succeeded', succeeded);
  expect(clock.waiting).toBe(0);
  await recorder.flush();
  expect(countsIn(writes[0], '24h')?.attempts).toEqual({ succeeded: 2 });
});
