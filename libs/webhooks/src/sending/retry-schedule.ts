/** A failed attempt, and what decides when the next one is made. */
export interface FailedAttempt {
  /** Waits between attempts in milliseconds: the first follows the first failure. */
  readonly schedule: readonly number[];
  /**
   * How many attempts have failed, including this one. Attempts with an unknown outcome do not
   * count: they may never have been sent, so a killed process does not use up a delivery's
   * schedule.
   */
  readonly failures: number;
  /** Milliseconds since 1970. */
  readonly now: number;
  /**
   * A new random number from 0 to 1 per call. It spreads retries by 10% either way, so that they
   * do not return as one wave.
   */
  readonly random: number;
  /** The receiver's `Retry-After` in milliseconds, if it sent one. */
  readonly retryAfterMs?: number | undefined;
}

/**
 * When to try again, in milliseconds since 1970; undefined when the schedule is used up. A
 * `Retry-After`, capped at 24 h, can postpone the retry, but never brings it forward.
 */
export function nextAttemptAt({
  schedule,
  failures,
  now,
  random,
  retryAfterMs = 0,
}: FailedAttempt): number | undefined {
  const wait = schedule[failures - 1];
  if (wait === undefined) return undefined;
  return (
    now +
    Math.ceil(Math.max(wait * (0.9 + 0.2 * random), Math.min(retryAfterMs, longestRetryAfter)))
  );
}

/**
 * Parses `Retry-After` (RFC 9110, 10.2.3), a number of seconds or an HTTP date, into milliseconds
 * from now; undefined when it is neither.
 */
export function parseRetryAfter(header: string | undefined, now: number): number | undefined {
  const value = header?.trim() ?? '';
  if (/^\d+$/.test(value)) return Math.min(Number(value) * 1000, Number.MAX_SAFE_INTEGER);
  // asctime has no time zone, and Date.parse would take it for local time
  const date = httpDates.some((form) => form.test(value))
    ? Date.parse(asctime.test(value) ? `${value} GMT` : value)
    : NaN;
  return Number.isNaN(date) ? undefined : Math.max(0, date - now);
}

const longestRetryAfter = 24 * 60 * 60 * 1000;

// The three date forms that a recipient must accept (RFC 9110, 5.6.7). Date.parse alone accepts
// almost anything: it reads `-5` as a date in 2001.
const month = '(?:Jan|Feb|Mar|Apr|May|Jun|Jul|Aug|Sep|Oct|Nov|Dec)';
const time = String.raw`\d\d:\d\d:\d\d`;
const fixdate = new RegExp(
  String.raw`^(?:Mon|Tue|Wed|Thu|Fri|Sat|Sun), \d\d ${month} \d{4} ${time} GMT$`,
);
const rfc850 = new RegExp(
  String.raw`^(?:Mon|Tues|Wednes|Thurs|Fri|Satur|Sun)day, \d\d-${month}-\d\d ${time} GMT$`,
);
const asctime = new RegExp(
  String.raw`^(?:Mon|Tue|Wed|Thu|Fri|Sat|Sun) ${month} [ \d]\d ${time} \d{4}$`,
);
const httpDates = [fixdate, rfc850, asctime];
