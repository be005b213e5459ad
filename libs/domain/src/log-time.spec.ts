import { toInstant, toPosition, type Position } from '@refledger/contracts';
import fc from 'fast-check';
import { isFarAhead, isOutOfLogTime, logTimeAfter } from './log-time.js';
import type { IgnoredTime } from './log-time.js';

const time = (minutes: number): string => toInstant(Date.UTC(2026, 0, 31, 10, minutes));
const positionOf = (position: number): Position =>
  toPosition(String(position)) ?? ('0' as Position);

interface WrittenEvent {
  readonly minute: number;
  readonly how?: 'kept' | 'service';
}
const logged = ({ minute, how }: WrittenEvent, index: number) => ({
  id: `event-${index}`,
  position: positionOf(index),
  metadata: {
    account_id: how === 'service' ? null : ('acct_a' as const),
    recorded_at: time(minute),
    ...(how === 'kept' && { time_kept: true as const }),
  },
});
const none: ReadonlySet<string> = new Set();

/** Log time after each event. */
const logTimes = (
  events: readonly WrittenEvent[],
  ignoredTimes: readonly IgnoredTime[] = [],
  skipped = none,
): readonly (string | null)[] => {
  let last: string | null = null;
  return events.map(
    (event, index) => (last = logTimeAfter(last, logged(event, index), { skipped, ignoredTimes })),
  );
};

/** A decision at `through` about the event at `from`, which was recorded at this minute. */
const ignoring = (from: number, through: number, minute: number): IgnoredTime => ({
  from: positionOf(from),
  through: positionOf(through),
  recordedAt: time(minute),
  decidedAt: time(through),
});

describe('log time', () => {
  it('is the latest time of an account so far', () => {
    expect(
      logTimes([
        { minute: 1 },
        { minute: 9, how: 'kept' },
        { minute: 9, how: 'service' },
        { minute: 3 },
        { minute: 2 },
      ]),
    ).toEqual([1, 1, 1, 3, 3].map(time));
  });

  it('is not moved by times that an operator ignored, up to the decision', () => {
    const events = [1, 50, 2, 49, 60, 3, 50].map((minute) => ({ minute }));
    expect(logTimes(events, [ignoring(1, 5, 50)])).toEqual([1, 1, 2, 49, 49, 49, 50].map(time));
  });

  it('is not moved by what an operator skipped', () => {
    const events = [1, 50, 2].map((minute) => ({ minute }));
    expect(logTimes(events, [], new Set(['event-1']))).toEqual([1, 1, 2].map(time));
  });

  it('is far ahead of a clock that is more than 10 minutes behind it', () => {
    const now = Date.parse(time(0));
    expect([time(10), null].map((at) => isFarAhead(at, now))).toEqual([false, false]);
    expect(isFarAhead(time(10), now - 1)).toBe(true);
  });

  it('starts with the decision if everything before it is ignored', () => {
    const events = [50, 51, 2, 8].map((minute) => ({ minute }));
    const late = { ...ignoring(0, 3, 50), decidedAt: time(7) };
    const early = { ...late, decidedAt: time(6) };
    expect(logTimes(events, [late, early])).toEqual([6, 6, 6, 8].map(time));
  });

  it.each([
    ['the event', 1, 50, true],
    ['a later one with a later time', 2, 60, true],
    ['the last one before the decision', 5, 50, true],
    ['an earlier event', 0, 60, false],
    ['one after the decision', 6, 60, false],
    ['one with an earlier time', 2, 49, false],
  ])('omits %s: position %i, minute %i: %s', (_, position, minute, expected) => {
    const out = { skipped: none, ignoredTimes: [ignoring(1, 5, 50)] };
    expect(isOutOfLogTime(logged({ minute }, position), out)).toBe(expected);
  });

  const written = fc.record<WrittenEvent>(
    { minute: fc.nat(20), how: fc.constantFrom('kept', 'service') },
    { requiredKeys: ['minute'] },
  );
  const history = fc.array(written, { minLength: 1, maxLength: 15 }).chain((events) =>
    fc.record({
      events: fc.constant(events),
      ignoredTimes: fc.array(
        fc
          .record({ from: fc.nat(events.length - 1), length: fc.nat(8) })
          .map(({ from, length }) => ignoring(from, from + length, events[from]?.minute ?? 0)),
        { maxLength: 3 },
      ),
    }),
  );

  it('never falls, whatever is ignored', () => {
    fc.assert(
      fc.property(history, ({ events, ignoredTimes }) => {
        const times = logTimes(events, ignoredTimes);
        expect(times).toEqual(times.toSorted((a, b) => ((a ?? '') < (b ?? '') ? -1 : 1)));
      }),
    );
  });

  it('is the same before the first ignored event, and in any order of the decisions', () => {
    fc.assert(
      fc.property(history, ({ events, ignoredTimes }) => {
        const times = logTimes(events, ignoredTimes);
        const first = Math.min(events.length, ...ignoredTimes.map(({ from }) => Number(from)));
        expect(times.slice(0, first)).toEqual(logTimes(events).slice(0, first));
        expect(logTimes(events, ignoredTimes.toReversed())).toEqual(times);
      }),
    );
  });

  it('is that of the log without the ignored events', () => {
    fc.assert(
      fc.property(history, ({ events, ignoredTimes }) => {
        const all = [{ minute: 0 }, ...events];
        const moved = ignoredTimes.map((each) => ({
          ...each,
          from: positionOf(Number(each.from) + 1),
          through: positionOf(Number(each.through) + 1),
        }));
        const out = { skipped: none, ignoredTimes: moved };
        const isOut = (event: WrittenEvent, index: number) =>
          isOutOfLogTime(logged(event, index), out);
        const rest = all.map((event, index) => (isOut(event, index) ? { minute: 0 } : event));
        expect(logTimes(all, moved)).toEqual(logTimes(rest));
      }),
    );
  });
});
