import fc from 'fast-check';
import type { LoggedEvent } from '../event-log.js';
import type { EventRow } from './event-rows.js';
import type { LogScan } from './position-scan.js';
import { RecentEvents } from './recent-events.js';

const text = (length: number): string => ' '.repeat(length);
const rowAt = (position: number, length = 10): EventRow => [
  position,
  'refledger.x',
  position,
  `event-${position}`,
  'x.happened',
  text(length),
  '',
];

/** A log with the given rows. It counts the rows that are read, and no event is decoded. */
const logOf = (rows: readonly EventRow[]) => {
  const counts = { read: 0, decoded: 0 };
  const scan: Pick<LogScan, 'next'> = {
    next: (after, end, limit) => {
      const matching = rows.filter(([position]) => position > after && position <= end);
      const found = matching.slice(0, limit);
      counts.read += found.length;
      return {
        rows: found,
        through: found.length < matching.length ? (found.at(-1)?.[0] ?? after) : end,
      };
    },
  };
  const recent = new RecentEvents((row) => {
    counts.decoded++;
    return { id: row[3] } as LoggedEvent;
  });
  /** The ids of all events after a position, read in steps of at most `limit`. */
  const follow = (after: number, end: number, limit = 500): string[] => {
    const ids: string[] = [];
    for (let at = after; at < end;) {
      const { events, through } = recent.next(scan as LogScan, at, end, limit);
      expect(events.length).toBeLessThanOrEqual(limit);
      expect(through).toBeGreaterThan(at);
      ids.push(...events.map(({ id }) => id));
      at = through;
    }
    return ids;
  };
  return { counts, follow };
};

const rowsUpTo = (count: number, length?: number) =>
  Array.from({ length: count }, (_, n) => rowAt(n + 1, length));
const idsOf = (rows: readonly EventRow[], after: number, end: number) =>
  rows.filter(([position]) => position > after && position <= end).map(([, , , id]) => id);

it('shows every reader the same events as the log, whatever others have read', () => {
  fc.assert(
    fc.property(
      fc.uniqueArray(fc.integer({ min: 1, max: 60 }), { maxLength: 40 }),
      fc.array(
        fc.record({
          after: fc.integer({ min: 0, max: 60 }),
          end: fc.integer({ min: 0, max: 60 }),
          limit: fc.integer({ min: 1, max: 9 }),
        }),
        { maxLength: 20 },
      ),
      (positions, reads) => {
        const rows = positions.toSorted((a, b) => a - b).map((position) => rowAt(position));
        const { follow } = logOf(rows);
        for (const { after, end, limit } of reads)
          expect(follow(after, end, limit)).toEqual(idsOf(rows, after, end));
      },
    ),
  );
});

it('reads and decodes each event once for all who follow the log', () => {
  const { counts, follow } = logOf(rowsUpTo(1_000));
  for (let end = 100; end <= 1_000; end += 100)
    for (const limit of [7, 50, 500]) expect(follow(end - 100, end, limit)).toHaveLength(100);
  expect(counts).toEqual({ read: 1_000, decoded: 1_000 });
});

it('keeps the end of the log while someone reads its start', () => {
  const { counts, follow } = logOf(rowsUpTo(5_000));
  follow(4_000, 5_000);
  follow(0, 4_000);
  expect(counts.read).toBe(5_000);
  follow(4_000, 5_000);
  expect(counts.read).toBe(5_000);
});

it.each([
  ['events', rowsUpTo(5_000), 2_048],
  ['large events', rowsUpTo(5_000, 64 * 1024), 32],
])('keeps few %s', (_which, rows, kept) => {
  const { counts, follow } = logOf(rows);
  follow(0, 5_000, 1);
  follow(5_000 - kept, 5_000);
  expect(counts.read).toBe(5_000);
  follow(5_000 - kept - 1, 5_000);
  expect(counts.read).toBeGreaterThan(5_000);
});
