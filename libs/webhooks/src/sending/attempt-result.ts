import { toInstant, type Attempt, type AttemptOutcome } from '@refledger/contracts';
import { lostTest, type AttemptResult, type ClaimedDelivery } from '@refledger/delivery-store';
import { cut } from './cut.js';
import { isSuccess, type AnsweredExchange } from './exchange.js';
import { nextAttemptAt } from './retry-schedule.js';

/** An attempt that has started. It may begin a little after its delivery was claimed. */
export interface StartedAttempt {
  readonly delivery: ClaimedDelivery;
  readonly startedAt: string;
}

/** What happened in an attempt. */
export interface Ending extends Partial<
  Omit<Attempt, 'number' | 'startedAt' | 'finishedAt' | 'outcome'>
> {
  readonly outcome: AttemptOutcome;
}

/** Decides when a failed delivery is attempted again. */
export interface RetryPolicy {
  /** Waits between attempts in milliseconds. */
  readonly schedule: readonly number[];
  /** A random number from 0 to 1, for the jitter. */
  readonly random: number;
}

/** The receiver responded. */
export const answered = ({ status, error, address, retryAfterMs }: AnsweredExchange): Ending => ({
  outcome: outcomeOf(status),
  status,
  ...(error !== undefined && { error }),
  address,
  retryAfter: retryAfterMs === undefined ? null : Math.ceil(retryAfterMs / 1_000),
});

/** The delivery has succeeded. */
export const succeeded = (started: StartedAttempt, at: number, ending: Ending): AttemptResult =>
  ended(started, at, ending, { status: 'succeeded' });

/**
 * The delivery is attempted again after the schedule's wait, until the schedule is used up. A test
 * fails for good at once.
 */
export const failed = (
  started: StartedAttempt,
  at: number,
  ending: Ending,
  { schedule, random }: RetryPolicy,
): AttemptResult => {
  const failures = started.delivery.earlierFailures + 1;
  const last = ending.error ?? `the response was ${ending.status}`;
  const isTest = started.delivery.trigger === 'test';
  const retryAfterMs = (ending.retryAfter ?? 0) * 1_000;
  const waits = isTest ? [] : schedule;
  const retryAt = nextAttemptAt({ schedule: waits, failures, now: at, random, retryAfterMs });
  const reason = isTest ? last : `given up after ${failures} failed attempts; last error: ${last}`;
  const next: AttemptResult['next'] =
    retryAt === undefined
      ? { status: 'failed', reason: bounded(reason) }
      : { status: 'waiting', dueAt: toInstant(retryAt) };
  return { ...ended(started, at, ending, next), failures };
};

/** The endpoint was disabled by its 410: no further attempt is made. */
export const gone = (started: StartedAttempt, at: number, ending: Ending): AttemptResult => ({
  ...ended(started, at, ending, {
    status: 'failed',
    reason: 'the endpoint responded with 410 Gone',
  }),
  failures: started.delivery.earlierFailures + 1,
});

/** Nothing was sent: the attempt does not count. */
export const notSent = (
  delivery: ClaimedDelivery,
  at: number,
  next: Exclude<AttemptResult['next'], { readonly status: 'succeeded' }>,
): AttemptResult => ({
  deliveryId: delivery.id,
  number: delivery.attempt,
  endedAt: toInstant(at),
  attempt: null,
  failures: delivery.earlierFailures,
  next,
});

/**
 * The service ended during the attempt: the request may or may not have been sent. The attempt does
 * not count towards the retry schedule. A test is not sent again.
 */
export const cutOff = (started: StartedAttempt, at: number): AttemptResult =>
  ended(
    started,
    at,
    { outcome: 'unknown', error: 'interrupted: the service ended' },
    started.delivery.trigger === 'test'
      ? { status: 'failed', reason: lostTest }
      : { status: 'waiting', dueAt: toInstant(at) },
  );

const ended = (
  { delivery, startedAt }: StartedAttempt,
  at: number,
  { outcome, status, error, address, retryAfter, sealedResponse }: Ending,
  next: AttemptResult['next'],
): AttemptResult => ({
  deliveryId: delivery.id,
  number: delivery.attempt,
  endedAt: toInstant(at),
  attempt: {
    number: delivery.attempt,
    startedAt,
    finishedAt: toInstant(at),
    outcome,
    status: status ?? null,
    error: error == null ? null : bounded(error),
    address: address ?? null,
    retryAfter: retryAfter ?? null,
    sealedResponse: sealedResponse ?? null,
  },
  failures: delivery.earlierFailures,
  next,
});

/** A redirect is never followed: the response decides nothing about its target. */
const outcomeOf = (status: number): AttemptOutcome => {
  if (isSuccess(status)) return 'succeeded';
  return status >= 300 && status < 400 ? 'redirect' : 'bad_status';
};

/** The most that the store keeps of a reason or error. */
const bounded = (text: string): string => cut(text, 500);
