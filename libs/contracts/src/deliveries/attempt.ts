import { z } from 'zod';
import { instantSchema } from '../time.js';

const attemptOutcomes = [
  'succeeded',
  'bad_status',
  'redirect',
  'timeout',
  'connection',
  'dns',
  'tls',
  'target_not_allowed',
  'too_long',
  'unknown',
] as const;
/**
 * The outcome of one attempt; see docs/webhooks.md. `unknown`: the process ended after starting the
 * attempt and before recording its outcome, so the request may or may not have been sent. It does
 * not count toward the retry schedule.
 */
export type AttemptOutcome = (typeof attemptOutcomes)[number];

/** One HTTP request of a delivery. */
export interface Attempt {
  /** From 1. */
  readonly number: number;
  readonly startedAt: string;
  readonly finishedAt: string | null;
  readonly outcome: AttemptOutcome | null;
  /** HTTP status of the response, when there was one. */
  readonly status: number | null;
  /**
   * Why it failed, or why the body of a 2xx is incomplete, in words: at most 500 characters, and
   * never the secret.
   */
  readonly error: string | null;
  /** The IP address that was connected to. */
  readonly address: string | null;
  /** The seconds that the receiver asked Refledger to wait, with status 429 or 503. */
  readonly retryAfter: number | null;
  /**
   * A sealed `ResponseExcerpt`: the part that was received. Null when nothing was, in all but the last
   * two attempts, and if the affiliate had been erased.
   */
  readonly sealedResponse: string | null;
}

/** The stored part of a response, without its secrets. */
export interface ResponseExcerpt {
  /** Names and values: at most 20, with at most 200 characters each. */
  readonly headers: readonly (readonly [name: string, value: string])[];
  /** The first 2 KiB as text, in which U+FFFD replaces invalid UTF-8 and control characters. */
  readonly body: string;
  /** Whether the body was longer. */
  readonly isTruncated: boolean;
}

/** An attempt as the API shows it. */
export const attemptSchema = z
  .strictObject({
    number: z.int().min(1).describe('1 for the first attempt of the delivery.'),
    started_at: instantSchema.describe('When the request started.'),
    duration_ms: z.int().min(0).nullable().describe('In milliseconds; null while it is in flight.'),
    outcome: z
      .enum(attemptOutcomes)
      .nullable()
      .describe('docs/webhooks.md has a section on each; null while it is in flight.'),
    status_code: z
      .int()
      .nullable()
      .describe('The HTTP status of the response; null if none arrived.'),
    error: z
      .string()
      .nullable()
      .describe(
        'A description of the failure; with the outcome `succeeded`, only with the body of the response. null if nothing did.',
      ),
    address: z.string().nullable().describe('The IP address that was connected to, or null.'),
    response_headers: z
      .record(z.string(), z.string())
      .nullable()
      .describe('At most 20, none with credentials; null in all but the last two attempts.'),
    response_body: z
      .string()
      .nullable()
      .describe('The first 2 KiB as text; null in all but the last two attempts.'),
    response_truncated: z.boolean().describe('Whether the response had more.'),
    retry_after: z
      .int()
      .min(0)
      .nullable()
      .describe(
        'How many seconds the receiver asked Refledger to wait, with status 429 or 503; null otherwise.',
      ),
  })
  .meta({ id: 'DeliveryAttempt' });
export type AttemptRecord = z.infer<typeof attemptSchema>;
