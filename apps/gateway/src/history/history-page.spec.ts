import fc from 'fast-check';
import { encodeCursor } from '../lists/cursor.js';
import { historyPage, type HistoryParameters } from './history-page.js';

/** The revisions on all pages of a record that gets `growth` more revisions between two pages. */
const walk = (query: Omit<HistoryParameters, 'cursor'>, last: number, growth = 0): number[] => {
  const seen: number[] = [];
  for (let cursor: string | undefined, end = last; ; end += growth) {
    const page = historyPage({ ...query, cursor }, 'of a record', end);
    const { from, to } = page;
    const revisions = Array.from({ length: to - from + 1 }, (_, n) => from + n);
    seen.push(...(page.newestFirst ? revisions.reverse() : revisions));
    if (page.nextCursor === null) return seen;
    cursor = page.nextCursor;
  }
};
const upTo = (last: number): number[] => Array.from({ length: last + 1 }, (_, n) => n);

it('has the newest revisions first, 25 of them, unless asked otherwise', () => {
  expect(historyPage({}, 'of a record', 99)).toMatchObject({
    from: 75,
    to: 99,
    newestFirst: true,
    nextCursor: expect.any(String) as unknown,
  });
  expect(historyPage({ sort: 'revision', limit: '3' }, 'of a record', 1)).toEqual({
    from: 0,
    to: 1,
    newestFirst: false,
    nextCursor: null,
  });
});

it('shows every revision once, with any page size', () => {
  const limits = fc.integer({ min: 1, max: 100 }).map(String);
  fc.assert(
    fc.property(limits, fc.integer({ min: 0, max: 250 }), (limit, last) => {
      expect(walk({ limit, sort: 'revision' }, last)).toEqual(upTo(last));
      expect(walk({ limit, sort: '-revision' }, last)).toEqual(upTo(last).reverse());
    }),
  );
});

it('shows no revision twice and leaves none out while the record changes', () => {
  expect(walk({ limit: '3' }, 10, 2)).toEqual(upTo(10).reverse());
  expect(walk({ limit: '3', sort: 'revision' }, 10, 2)).toEqual(upTo(26));
});

it.each([[], ['1'], [-1], [1.5], [null], [1, 2]])(
  'rejects a cursor that holds %j',
  (...values: unknown[]) => {
    const cursor = encodeCursor(values as number[], ['of a record', '-revision']);
    expect(() => historyPage({ cursor }, 'of a record', 9)).toThrow(/^cursor is not a cursor/);
  },
);

it('is empty after a cursor at a revision that a restored log has lost', () => {
  const cursor = encodeCursor([20], ['of a record', 'revision']);
  const { from, to, nextCursor } = historyPage({ cursor, sort: 'revision' }, 'of a record', 9);
  expect([from > to, nextCursor]).toEqual([true, null]);
});
