import { present } from '@refledger/testing/present';
import fc from 'fast-check';
import { nextAttemptAt, parseRetryAfter } from './retry-schedule.js';

const schedule = [5_000, 30_000, 120_000];
const now = Date.parse('2026-01-31T09:30:00Z');
const day = 86_400_000;

describe('nextAttemptAt', () => {
  it.each([
    [1, 0.5, 5_000],
    [2, 0.5, 30_000],
    [3, 0.5, 120_000],
    [1, 0, 4_500],
    [1, 1, 5_500],
  ])('after failure %i with the random number %d, waits %i ms', (failures, random, wait) => {
    expect(nextAttemptAt({ schedule, failures, now, random })).toBe(now + wait);
  });

  it('is used up after one more failure than the schedule has waits', () => {
    expect(nextAttemptAt({ schedule, failures: 4, now, random: 0.5 })).toBeUndefined();
    expect(
      nextAttemptAt({ schedule, failures: 4, now, random: 0.5, retryAfterMs: 1_000 }),
    ).toBeUndefined();
    expect(nextAttemptAt({ schedule: [], failures: 1, now, random: 0.5 })).toBeUndefined();
  });

  it.each([
    ['a longer one postpones the attempt', 60_000, 60_000],
    ['a shorter one changes nothing', 1_000, 5_000],
    ['a day is not shortened', day, day],
    ['more than a day is capped at a day', day + 1, day],
    ['far too much is capped at a day', Number.MAX_SAFE_INTEGER, day],
  ])('Retry-After: %s', (_, retryAfterMs, wait) => {
    expect(nextAttemptAt({ schedule, failures: 1, now, random: 0.5, retryAfterMs })).toBe(
      now + wait,
    );
  });

  const failed = fc.record({
    schedule: fc.array(fc.integer({ min: 1, max: 7 * day }), { minLength: 1, maxLength: 12 }),
    random: fc.double({ min: 0, max: 1, noNaN: true }),
    now: fc.integer({ min: 0, max: 4e12 }),
    retryAfterMs: fc.option(fc.integer({ min: 0, max: 30 * day }), { nil: undefined }),
  });

  it('law: a whole number of milliseconds, within 10% of the schedule, and never before Retry-After', () => {
    fc.assert(
      fc.property(failed, fc.nat(), ({ schedule, ...given }, pick) => {
        const failures = (pick % schedule.length) + 1;
        const wait = (nextAttemptAt({ schedule, failures, ...given }) ?? NaN) - given.now;
        const planned = present(schedule[failures - 1]);
        const asked = Math.min(given.retryAfterMs ?? 0, day);

        expect(Number.isInteger(wait)).toBe(true);
        expect(wait).toBeGreaterThanOrEqual(Math.max(planned * 0.9, asked) - 0.001);
        expect(wait).toBeLessThanOrEqual(Math.max(planned * 1.1 + 1, asked));
      }),
    );
  });
});

describe('parseRetryAfter', () => {
  it.each([
    ['120', 120_000],
    ['0', 0],
    [' 7 ', 7_000],
    ['9'.repeat(400), Number.MAX_SAFE_INTEGER],
    ['Sat, 31 Jan 2026 09:31:00 GMT', 60_000],
    ['Saturday, 31-Jan-26 09:31:00 GMT', 60_000],
    ['Sat Jan 31 09:31:00 2026', 60_000],
    ['Sat Jan  3 09:31:00 2026', 0],
    ['Sat, 31 Jan 2026 09:29:00 GMT', 0],
  ])('reads %s', (header, milliseconds) => {
    expect(parseRetryAfter(header, now)).toBe(milliseconds);
  });

  it.each([
    undefined,
    '',
    '-5',
    '1.5',
    '1e3',
    '0x10',
    'soon',
    'Jan 2027',
    '2026-01-31T09:31:00Z',
    'Sat, 99 Jan 2026 09:31:00 GMT',
    'Sat, 31 Jan 2026 09:31:00',
    '5 s',
  ])('ignores %s', (header) => {
    expect(parseRetryAfter(header, now)).toBeUndefined();
  });

  it('law: an HTTP date reads as the time until then, never negative', () => {
    fc.assert(
      fc.property(
        fc.integer({ min: 0, max: 4_000_000_000 }),
        fc.integer({ min: 0, max: 4_000_000_000 }),
        (then, at) => {
          expect(parseRetryAfter(new Date(then * 1000).toUTCString(), at * 1000)).toBe(
            Math.max(0, (then - at) * 1000),
          );
        },
      ),
    );
  });
});
