import { toInstant, type Position, type RecordedEvent } from '@refledger/contracts';
import { countsForLogTime, type IgnoredTime, type OutOfLogTime } from '@refledger/domain';
import { present } from '@refledger/testing/present';
import * as fc from 'fast-check';
import { MinuteIndex, minuteIndexProjection } from '../src/index.js';
import type { MinuteStart } from '../src/minute-index.js';
import { ProjectionGroup } from '../src/projector/projection-group.js';
import { affiliateCreated } from './builders.js';
import { Embedded } from './embedded.js';
import { position, record } from './history.js';

const embedded = new Embedded();
afterAll(() => embedded.remove());

const start = Date.UTC(2025, 11, 31, 23, 58);
const minute = 60_000;
/** A few times, so that events share minutes, hours, days, months and years. */
const time = fc
  .tuple(
    fc.constantFrom(0, 1, 2, 60, 24 * 60, 31 * 24 * 60, 365 * 24 * 60, 800 * 24 * 60),
    fc.integer({ min: -2, max: 4 }),
    fc.constantFrom(0, 1, minute - 1),
  )
  .map(([far, near, rest]) => toInstant(start + (far + near) * minute + rest));
const written = fc.record({
  at: time,
  how: fc.constantFrom('moves', 'moves', 'moves', 'kept', 'service'),
});

const events = (all: readonly { readonly at: string; readonly how: string }[]): RecordedEvent[] => {
  const happened = all.map(() => ({ stream: 'refledger.a', event: affiliateCreated }) as const);
  return record(happened).map((event, n) => ({
    ...event,
    metadata: {
      ...event.metadata,
      recorded_at: all[n]?.at ?? '',
      ...(all[n]?.how === 'kept' && { time_kept: true as const }),
      ...(all[n]?.how === 'service' && { account_id: null }),
    },
  }));
};

const minuteOf = ({ metadata }: Pick<RecordedEvent, 'metadata'>): string =>
  metadata.recorded_at.slice(0, 16);

const movingOf = (all: readonly RecordedEvent[], out: OutOfLogTime) =>
  all.filter((event) => countsForLogTime(event, out));

/** Ignores the time of an event, and the following ones that were recorded at its time or later. */
const ignoredTimeOf = (
  all: readonly RecordedEvent[],
  from: number,
  length: number,
): IgnoredTime[] => {
  const event = all[from];
  if (event === undefined) return [];
  const { recorded_at: recordedAt } = event.metadata;
  const through = position(from + length);
  return [{ from: event.position, through, recordedAt, decidedAt: recordedAt }];
};

/** What a search through all events finds. */
const reference = (
  all: readonly RecordedEvent[],
  out: OutOfLogTime,
  asked: string,
): MinuteStart => {
  const through = all.at(-1)?.position;
  const moving = movingOf(all, out);
  const first = moving.findIndex((event) => minuteOf(event) >= asked.slice(0, 16));
  if (first === -1) return { after: through, isMarked: false, through };
  const marks = moving.filter(
    (event, n) => moving.findIndex((each) => minuteOf(each) === minuteOf(event)) === n,
  );
  const before = marks.filter((mark) => moving.indexOf(mark) < first);
  return { after: before.at(-1)?.position, isMarked: true, through };
};

/** The day of the latest time up to an event. */
const dayOfLogTime = (
  all: readonly RecordedEvent[],
  out: OutOfLogTime,
  event: RecordedEvent,
): string | undefined =>
  movingOf(all.slice(0, all.indexOf(event) + 1), out)
    .map(({ metadata }) => metadata.recorded_at.slice(0, 10))
    .sort()
    .at(-1);

it('finds where the log reaches a minute, whatever the clocks said', async () => {
  const store = await embedded.openStore();
  let run = 0;
  await fc.assert(
    fc.asyncProperty(
      fc.array(written, { minLength: 1, maxLength: 20 }),
      fc.tuple(fc.integer({ min: 1, max: 7 }), fc.boolean()),
      fc.array(time, { minLength: 1, maxLength: 5 }),
      fc.tuple(fc.nat(20), fc.nat(6), fc.array(fc.nat(20), { maxLength: 2 })),
      async (happened, [size, twice], times, [from, length, skips]) => {
        const all = events(happened);
        const skipped = new Set(skips.flatMap((index) => all[index]?.id ?? []));
        const out = { skipped, ignoredTimes: ignoredTimeOf(all, from, length) };
        const logId = `log-${run++}`;
        const build = await store.createBuild(minuteIndexProjection, logId, 'test');
        const kept = [{ projection: minuteIndexProjection, build }];
        const fold = async (): Promise<void> => {
          const group = new ProjectionGroup(kept, store, logId);
          for (let n = 0; n < all.length; n += size) {
            const batch = all.slice(n, n + size);
            const through = present(batch.at(-1)).position;
            await group.apply({ events: batch, through }, new Set(), out);
          }
        };
        await fold();
        if (twice) await fold();
        await store.goLive(build);
        const marks = new MinuteIndex(store, logId);
        for (const asked of times)
          expect(await marks.startOf(asked)).toEqual(reference(all, out, asked));
        for (const event of all)
          expect(await marks.dayAt(event.position)).toBe(dayOfLogTime(all, out, event));
        await store.dropBuild(build);
      },
    ),
    { numRuns: 200 },
  );
});

it('writes a mark per minute, and neither writes nor checks anything for other events', async () => {
  const store = await embedded.openStore();
  const build = await store.createBuild(minuteIndexProjection, 'cost', 'test');
  const saved: { readonly documents: number; readonly unchanged: number }[] = [];
  const counting = Object.assign(Object.create(store) as typeof store, {
    save: (changes: Parameters<typeof store.save>[0]) => {
      const count = (maps: Iterable<Iterable<unknown>>): number =>
        [...maps].reduce((sum, each) => sum + [...each].length, 0);
      for (const { documents, unchanged = new Map<string, Map<string, Position>>() } of changes)
        saved.push({ documents: count(documents.values()), unchanged: count(unchanged.values()) });
      return store.save(changes);
    },
  });
  const group = new ProjectionGroup(
    [{ projection: minuteIndexProjection, build }],
    counting,
    'cost',
  );
  const all = events(
    Array.from({ length: 300 }, (_, n) => ({ at: toInstant(start + n * 1_000), how: 'moves' })),
  );
  for (let n = 0; n < all.length; n += 30)
    await group.apply({ events: all.slice(n, n + 30), through: position(n + 30) }, new Set());
  // the year ends after the second minute
  expect(saved.map(({ documents }) => documents)).toEqual([5, 0, 1, 0, 5, 0, 1, 0, 1, 0]);
  expect(saved.map(({ unchanged }) => unchanged)).toEqual(Array.from({ length: 10 }, () => 0));
});
