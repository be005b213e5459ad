import { toInstant } from '@refledger/contracts';
import type { Attempt, AttemptOutcome } from '../stores/delivery.js';
import type { AttemptResult, ClaimedDelivery } from '../stores/delivery-store.js';
import { nextAttemptAt } from './retry-schedule.js';

/** An attempt that has started. It may begin a little after its delivery was claimed. */
export interface StartedAttempt {
  readonly delivery: ClaimedDelivery;
  readonly startedAt: string;
}

/** Why an attempt failed: the status of the response, or an error in words. */
export interface Failure {
  readonly status?: number;
  readonly error?: string;
  readonly retryAfterMs?: number | undefined;
}

/** Decides when a failed delivery is attempted again. */
export interface RetryPolicy {
  /** Waits between attempts in milliseconds. */
  readonly schedule: readonly number[];
  /** A random number from 0 to 1, for the jitter. */
  readonly random: number;
}

/** The delivery has succeeded. */
export const succeeded = (started: StartedAttempt, at: number, status: number): AttemptResult =>
  resultOf(started, at, { outcome: 'succeeded', next: { status: 'succeeded' }, status });

/** The delivery is attempted again after the schedule's wait, until the schedule is used up. */
export const failed = (
  started: StartedAttempt,
  at: number,
  { status, error, retryAfterMs }: Failure,
  { schedule, random }: RetryPolicy,
): AttemptResult => {
  const failures = started.delivery.earlierFailures + 1;
  const retryAt = nextAttemptAt({ schedule, failures, now: at, random, retryAfterMs });
  const last = status === undefined ? (error ?? '') : `the response was ${status}`;
  const next: AttemptResult['next'] =
    retryAt === undefined
      ? {
          status: 'failed',
          reason: bounded(`given up after ${failures} failed attempts; last error: ${last}`),
        }
      : { status: 'waiting', dueAt: toInstant(retryAt) };
  return resultOf(started, at, {
    outcome: 'failed',
    next,
    ...(status !== undefined && { status }),
    ...(error !== undefined && { error: bounded(error) }),
  });
};

/** The endpoint was disabled by its 410: no further attempt is made. */
export const gone = (started: StartedAttempt, at: number, status: number): AttemptResult =>
  resultOf(started, at, {
    outcome: 'failed',
    next: { status: 'failed', reason: 'the endpoint responded with 410 Gone' },
    status,
  });

/** Nothing was sent, and nothing will be sent. */
export const canceled = (started: StartedAttempt, at: number, reason: string): AttemptResult =>
  resultOf(started, at, { outcome: 'canceled', next: { status: 'canceled', reason } });

/**
 * The service ended during the attempt: the request may or may not have been sent. The attempt does
 * not count towards the retry schedule.
 */
export const cutOff = (started: StartedAttempt, at: number): AttemptResult =>
  resultOf(started, at, {
    outcome: 'unknown',
    next: { status: 'waiting', dueAt: toInstant(at) },
    error: 'interrupted: the service ended',
  });

interface Ending extends Partial<Pick<Attempt, 'status' | 'error'>> {
  readonly outcome: AttemptOutcome;
  readonly next: AttemptResult['next'];
}

const resultOf = (
  { delivery, startedAt }: StartedAttempt,
  at: number,
  { outcome, next, status = null, error = null }: Ending,
): AttemptResult => ({
  deliveryId: delivery.id,
  attempt: {
    number: delivery.attempt,
    startedAt,
    finishedAt: toInstant(at),
    outcome,
    status,
    error,
  },
  next,
});

/** Cuts text to 500 characters, the most that the store keeps of a reason or error. */
const bounded = (text: string): string => text.slice(0, 500);
