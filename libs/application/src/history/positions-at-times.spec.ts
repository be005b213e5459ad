import { present } from '@refledger/testing/present';
import fc from 'fast-check';
import {
  streams,
  toInstant,
  toPosition,
  type AccountId,
  type KeyId,
  type Position,
} from '@refledger/contracts';
import { postingName } from '@refledger/domain';
import type { EventLog, LoggedEvent } from '@refledger/event-log';
import { ThrottledReads } from './throttled-reads.js';
import { PositionsAtTimes, type Marks } from './positions-at-times.js';

/** An event: when it was recorded, in milliseconds, and whether it moves log time. */
interface WrittenEvent {
  readonly at: number;
  readonly how?: 'kept' | 'service';
}

const start = Date.UTC(2026, 10, 24, 10);
const reader = { accountId: 'acct_a' as AccountId, keyId: 'key_a' as KeyId };
const logPosition = (position: number): Position =>
  toPosition(String(position)) ?? ('0' as Position);
const logged = ({ at: time, how }: WrittenEvent, index: number): LoggedEvent => ({
  id: `event-${index}`,
  type: 'affiliate.updated',
  stream: 'refledger.a',
  revision: index,
  data: {},
  position: logPosition(3 * index),
  metadata: {
    account_id: how === 'service' ? null : reader.accountId,
    actor: 'suite',
    request_id: 'r',
    schema: 1,
    recorded_at: toInstant(start + time),
    ...(how === 'kept' && { time_kept: true }),
  },
});

/** An operator's decision at one event about another. */
interface IgnoredRange {
  readonly from: number;
  readonly through: number;
}

const decided = (
  events: readonly WrittenEvent[],
  { from, through }: IgnoredRange,
  number: number,
): LoggedEvent => {
  const {
    id: event_id,
    position,
    stream,
    revision,
    metadata,
  } = logged(present(events[from]), from);
  const { recorded_at } = metadata;
  const data = { processor: postingName, event_id, position, stream, revision, recorded_at };
  const decision = logged(present(events[through]), through);
  const own = { stream: streams.processor(postingName), revision: number };
  return { ...decision, ...own, type: 'log_time.ignored', data };
};

/** The position of the event before the first one that raises log time beyond this time. */
const reference = (
  events: readonly WrittenEvent[],
  time: number,
  ignoredRanges: readonly IgnoredRange[] = [],
): Position | undefined => {
  const isOut = (recorded: number, index: number): boolean =>
    ignoredRanges.some(
      ({ from, through }) =>
        index >= from && index <= through && recorded >= (events[from]?.at ?? 0),
    );
  const next = events.findIndex(
    ({ at: recorded, how }, index) =>
      how === undefined && recorded > time && !isOut(recorded, index),
  );
  const last = next === -1 ? events.length - 1 : next - 1;
  return last < 0 ? undefined : logPosition(3 * last);
};

describe('the position of a time', () => {
  let events: WrittenEvent[];
  /** How many events the marks reflect. */
  let marked: number;
  let read: number;
  let ignoredRanges: IgnoredRange[];
  beforeEach(() => void ([events, marked, read, ignoredRanges] = [[], 0, 0, []]));

  const log: Pick<EventLog, 'readAll' | 'readStream'> = {
    async *readStream(stream, { from = 0, to = Infinity } = {}) {
      const all =
        stream === streams.processor(postingName)
          ? ignoredRanges.map((each, number) => decided(events, each, number))
          : events.map(logged).slice(from, to + 1);
      yield await Promise.resolve(all);
    },
    async *readAll({ after } = {}) {
      const all = events.map(logged);
      const first = after === undefined ? 0 : Number(after) / 3 + 1;
      for (let n = first; n < all.length; n += 2) {
        const batch = all.slice(n, n + 2);
        read += batch.length;
        yield await Promise.resolve({
          events: batch,
          through: logPosition(3 * (n + batch.length - 1)),
        });
      }
    },
  };
  const minuteOf = (time: number): number => Math.floor(time / 60_000);
  /** Marks of the first `marked` events, as far apart as the read model's. */
  const marks: Marks = {
    startOf: (instant) => {
      const minute = minuteOf(Date.parse(instant) - start);
      const known = events.slice(0, marked);
      const first = known.findIndex(
        (event) => event.how === undefined && minuteOf(event.at) >= minute,
      );
      const through = marked === 0 ? undefined : logPosition(3 * (marked - 1));
      if (first === -1) return Promise.resolve({ after: through, isMarked: false, through });
      const isMark = ({ at: time, how }: WrittenEvent, index: number): boolean =>
        how === undefined &&
        known.findIndex(
          (each) => each.how === undefined && minuteOf(each.at) === minuteOf(time),
        ) === index;
      const before = known.slice(0, first).findLastIndex(isMark);
      return Promise.resolve({
        after: before === -1 ? undefined : logPosition(3 * before),
        isMarked: true,
        through,
      });
    },
    settle: () => Promise.resolve(void (marked = events.length)),
  };
  const waits = { run: <T>(_reader: unknown, wait: () => Promise<T>) => wait() };
  const throttledReads = new ThrottledReads(waits, {
    now: () => 0,
    sleep: () => Promise.resolve(),
  });
  const positions = (timeoutMs = 60_000): PositionsAtTimes =>
    new PositionsAtTimes({ log, marks, throttledReads, timeoutMs });
  const positionOf = (of: PositionsAtTimes, time: number): Promise<Position | undefined> =>
    of.positionAt(toInstant(start + time), reader);

  const time = fc.oneof(
    fc.integer({ min: 0, max: 200_000 }),
    fc.constantFrom(0, 59_999, 60_000, 119_999, 120_000),
  );
  const written: fc.Arbitrary<WrittenEvent> = fc.oneof(
    { weight: 4, arbitrary: time.map((at) => ({ at })) },
    fc.record({ at: time, how: fc.constantFrom('kept', 'service') }),
  );
  const step = fc.oneof(
    fc.record({ append: fc.array(written, { maxLength: 8 }), inOrder: fc.boolean() }),
    fc.record({ mark: fc.nat(10) }),
    fc.record({ ignoredTime: fc.nat(20) }),
    fc.record({ ask: fc.array(time, { minLength: 1, maxLength: 5 }) }),
  );

  /** Takes the time of an event out of log time. The marks are not made again. */
  const ignoreTime = (index: number): void => {
    if (events.length === 0) return;
    const from = Math.min(index, events.length - 1);
    const through = events.push({ at: 0, how: 'service' }) - 1;
    ignoredRanges.push({ from, through });
  };

  it('is that of a search through the whole log, whatever the clocks say', async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(step, { maxLength: 20 }), async (steps) => {
        [events, marked, ignoredRanges] = [[], 0, []];
        const found = positions();
        for (const step of steps) {
          if ('append' in step)
            events.push(
              ...(step.inOrder ? step.append.toSorted((a, b) => a.at - b.at) : step.append),
            );
          else if ('ignoredTime' in step) ignoreTime(step.ignoredTime);
          else if ('mark' in step) marked = Math.min(events.length, marked + step.mark);
          else
            for (const asked of step.ask)
              expect(await positionOf(found, asked)).toBe(reference(events, asked, ignoredRanges));
        }
      }),
      { numRuns: 500 },
    );
  });

  it('no longer changes once a later event has been recorded', async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.array(written, { maxLength: 20 }),
        fc.array(written, { maxLength: 20 }),
        time,
        async (before, after, asked) => {
          [events, marked] = [[...before, { at: asked + 1 }], 0];
          const settled = await positionOf(positions(), asked);
          events.push(...after);
          expect(await positionOf(positions(), asked)).toBe(settled);
        },
      ),
    );
  });

  it('is found for every time of a minute by reading the minute once', async () => {
    events = Array.from({ length: 600 }, (_, n) => ({ at: n * 1_000 }));
    marked = events.length;
    const found = positions();
    await positionOf(found, 120_000 + 59_999);
    expect(read).toBeLessThan(130);
    const before = read;
    await Promise.all(Array.from({ length: 60 }, (_, n) => positionOf(found, 120_000 + n * 1_000)));
    expect(read).toBe(before);
  });

  it('continues from where an earlier request ran out of time', async () => {
    events = Array.from({ length: 100 }, (_, n) => ({ at: n }));
    events.push({ at: 60_000 });
    marked = events.length;
    const hasty = positions(-1);
    let attempts = 0;
    for (;;) {
      attempts++;
      const found = await positionOf(hasty, 59_999).catch((error: unknown) => {
        expect(error).toMatchObject({ code: 'read_model_behind' });
        return 'behind';
      });
      if (found !== 'behind') break;
    }
    expect(await positionOf(hasty, 59_999)).toBe(logPosition(3 * 99));
    expect([attempts > 1, read]).toEqual([true, 101]);
  });

  it('is later once an event whose clock was ahead is out of log time', async () => {
    events = [{ at: 0 }, { at: 10_000 }, { at: 600_000 }, { at: 20_000 }];
    marked = 3;
    const found = positions();
    expect(await positionOf(found, 30_000)).toBe(logPosition(3 * 1));
    ignoreTime(2);
    expect(await positionOf(found, 30_000)).toBe(logPosition(3 * 4));
    events.push({ at: 40_000 });
    expect(await positionOf(found, 30_000)).toBe(logPosition(3 * 4));
  });

  describe('in one of many busy minutes', () => {
    const [minutes, perMinute] = [60, 12];
    const other = { accountId: 'acct_b' as AccountId, keyId: 'key_b' as KeyId };
    beforeEach(() => {
      events = Array.from({ length: minutes * perMinute }, (_, n) => ({
        at: n * (60_000 / perMinute),
      }));
      marked = events.length;
    });
    const askForAll = (found: PositionsAtTimes): Promise<unknown> =>
      Promise.all(Array.from({ length: minutes }, (_, n) => positionOf(found, n * 60_000)));

    it('is found quickly for one account while another one asks for all of them', async () => {
      await positions().positionAt(toInstant(start + 30 * 60_000), other);
      const alone = read;
      const found = positions();
      const attack = askForAll(found);
      read = 0;
      await found.positionAt(toInstant(start + 30 * 60_000), other);
      expect(read).toBeLessThan(3 * alone);
      await attack;
      expect(read).toBeGreaterThan(minutes * perMinute);
    });

    it('is found at once if the minute was read before', async () => {
      const found = positions();
      const known = await positionOf(found, 60_000);
      read = 0;
      const attack = askForAll(found);
      expect(await positionOf(found, 60_000)).toBe(known);
      expect(read).toBeLessThan(perMinute);
      await attack;
    });
  });

  it('is not guessed from a log that is behind its marks', async () => {
    events = [{ at: 0 }, { at: 60_000 }, { at: 120_000 }];
    marked = 3;
    const whole = events;
    const stale = new PositionsAtTimes({
      log,
      throttledReads,
      timeoutMs: 60_000,
      marks: {
        ...marks,
        startOf: async (instant) => {
          events = whole;
          const found = await marks.startOf(instant);
          events = whole.slice(0, 2);
          return found;
        },
      },
    });
    await expect(positionOf(stale, 60_000)).rejects.toMatchObject({ code: 'read_model_behind' });
  });

  it('is unavailable while no build of the marks can be read', async () => {
    const building = { ...marks, startOf: () => Promise.resolve(undefined) };
    const found = new PositionsAtTimes({ log, marks: building, throttledReads, timeoutMs: 60_000 });
    await expect(positionOf(found, 0)).rejects.toMatchObject({ code: 'read_model_behind' });
  });
});
