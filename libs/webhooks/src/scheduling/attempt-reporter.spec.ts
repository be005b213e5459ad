import type { AttemptOutcome } from '@refledger/contracts';
import { delivery } from '../../test/attempt-bench.js';
import { endpointVersion } from '@refledger/webhook-endpoints/testing';
import {
  startedAttempt,
  type AttemptResult,
  type ClaimedDelivery,
} from '@refledger/delivery-store';
import { AttemptReporter } from './attempt-reporter.js';

const recordedAt = '2026-01-31T09:30:00.000Z';
const givenUp = { status: 'failed', reason: 'given up' } as const;

/** What is reported of an attempt that ended a second after the event was recorded. */
const reported = (
  about: Partial<ClaimedDelivery>,
  outcome: AttemptOutcome,
  next: AttemptResult['next'],
): readonly string[] => {
  const did: string[] = [];
  const reporter = new AttemptReporter({
    metrics: {
      onAttempt: ({ outcome: measured }) => void did.push(`measured ${measured}`),
      onDelivered: ({ latencyMs }) => void did.push(`delivered after ${latencyMs} ms`),
    },
    logger: { warn: (_about: object, message: string) => void did.push(`warned: ${message}`) },
    clock: { now: () => Date.parse(recordedAt) + 1_000 },
    directory: { latest: () => endpointVersion() },
    health: { record: ({ attempt }) => Promise.resolve(void did.push(`noted ${attempt.outcome}`)) },
    statistics: {
      attempted: (_delivery, { attempt }) => void did.push(`counted ${attempt?.outcome}`),
    },
  });
  const attempt = { ...startedAttempt(1, recordedAt), finishedAt: recordedAt, outcome };
  const result = { deliveryId: delivery.id, number: 1, endedAt: recordedAt, failures: 0 };
  reporter.report(
    { ...delivery, ...about },
    { result: { ...result, attempt, next }, recordedAt: Date.parse(recordedAt) },
  );
  return did;
};

it('reports to the metrics, and to the statistics and the health of the endpoint', () => {
  expect(reported({}, 'succeeded', { status: 'succeeded' })).toEqual([
    'measured succeeded',
    'delivered after 1000 ms',
    'counted succeeded',
    'noted succeeded',
  ]);
});

it('warns once a delivery has failed permanently', () => {
  expect(reported({}, 'timeout', givenUp)).toEqual([
    'measured timeout',
    'counted timeout',
    'noted timeout',
    'warned: given up',
  ]);
});

it('does not measure how late a redelivery is', () => {
  expect(reported({ trigger: 'redeliver' }, 'succeeded', { status: 'succeeded' })).toEqual([
    'measured succeeded',
    'counted succeeded',
    'noted succeeded',
  ]);
});

it.each([
  ['succeeded', { status: 'succeeded' } as const],
  ['bad_status', givenUp],
] as const)('a test that %s says nothing about the endpoint', (outcome, next) => {
  expect(reported({ trigger: 'test' }, outcome, next)).toEqual([`measured ${outcome}`]);
});
