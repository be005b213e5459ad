import fc from 'fast-check';
import type { JsonLines, Query } from '@refledger/read-store';
import { equals } from '@refledger/queries';
import { listQuery, type ListParameters, type ListQuery, type Row } from './list-query.js';

const scope = { name: 'rows', filters: equals({ account_id: 'acct_1' }) };
/** These rows as a read store finds them. */
const linesOf = (rows: readonly Row[]): JsonLines => ({
  count: rows.length,
  text: rows.map((row) => JSON.stringify(row)).join('\n'),
});
const page = (list: ListQuery, rows: readonly Row[]) =>
  JSON.parse(list.page(linesOf(rows))) as { data: Row[]; next_cursor: string | null };
/** The rows that a read store finds for a query without filters. */
const found = (rows: readonly Row[], { order, after, limit }: Query): Row[] => {
  const keyOf = ({ created_at, id }: Row): string => `${created_at} ${id}`;
  const start = after?.join(' ');
  const sorted = rows.toSorted((a, b) => (keyOf(a) < keyOf(b) ? -1 : 1));
  return (order.descending ? sorted.reverse() : sorted)
    .filter((row) => start === undefined || keyOf(row) < start === order.descending)
    .filter((row) => keyOf(row) !== start)
    .slice(0, limit);
};
const walk = (rows: readonly Row[], parameters: ListParameters): Row[] => {
  const seen: Row[] = [];
  for (let cursor: string | undefined; ;) {
    const list = listQuery({ ...parameters, cursor }, { name: 'rows', filters: [] });
    const { data, next_cursor } = page(list, found(rows, list.query));
    seen.push(...data);
    if (next_cursor === null) return seen;
    cursor = next_cursor;
  }
};

describe('listQuery', () => {
  it('supports any order, with a cursor of its own', () => {
    const order = {
      sort: 'position',
      fields: ['position'],
      valuesOf: ({ position = '' }: Row) => [position.padStart(3, '0')],
    };
    const list = listQuery({ limit: '1' }, { ...scope, order });
    expect(list.query.order).toEqual({ fields: ['position'], descending: true });
    const rows = ['9', '10'].map((position) => ({ id: position, created_at: '', position }));
    const { next_cursor } = page(list, rows);
    const cursor = next_cursor ?? '';
    expect(listQuery({ limit: '1', cursor }, { ...scope, order }).query.after).toEqual(['009']);
    expect(() => listQuery({ cursor }, scope)).toThrow('cursor is not a cursor for this list');
    expect(list.cursorAfter(rows[0])).toBe(cursor);
    expect(list.cursorAfter(undefined)).toBeNull();
  });

  it('asks for one row more than the page holds', () => {
    expect(listQuery({}, scope).query).toMatchObject({
      limit: 26,
      order: { fields: ['created_at', 'id'], descending: true },
    });
    expect(listQuery({ limit: '100', sort: 'created_at' }, scope).query).toMatchObject({
      limit: 101,
      order: { descending: false },
    });
  });

  it.each(['created', 'completed'])(
    'turns both bounds of %s_at into exclusive bounds with millisecond precision',
    (done) => {
      const [after, before] = ['2026-01-01T01:00:00+01:00', '2026-01-02T00:00:00.0001Z'];
      const bounds = { [`${done}_after`]: after, [`${done}_before`]: before };
      expect(listQuery(bounds, scope).query.where.slice(1)).toEqual([
        { field: `${done}_at`, after: '2026-01-01T00:00:00.000Z' },
        { field: `${done}_at`, before: '2026-01-02T00:00:00.001Z' },
      ]);
    },
  );

  it('turns created_from and created_to into the same bounds', () => {
    const bounds = {
      created_from: '2026-01-01T01:00:00+01:00',
      created_to: '2026-01-02T00:00:00Z',
    };
    expect(listQuery(bounds, scope).query.where.slice(1)).toEqual([
      { field: 'created_at', after: '2025-12-31T23:59:59.999Z' },
      { field: 'created_at', before: '2026-01-02T00:00:00.000Z' },
    ]);
  });

  it.each([
    { status: 'approved' },
    { sort: 'created_at' as const },
    { created_after: '2026-01-01T00:00:00Z' },
    { created_from: '2026-01-01T00:00:00Z' },
  ])('rejects a cursor made for other filters or another sort: %j', (other) => {
    const rows = [
      { id: 'a', created_at: '2026-01-01T00:00:00.000Z' },
      { id: 'b', created_at: '2026-01-01T00:00:00.000Z' },
    ];
    const cursor = page(listQuery({ limit: '1' }, scope), rows).next_cursor ?? '';
    expect(listQuery({ limit: '2', cursor }, scope).query.after).toEqual([
      '2026-01-01T00:00:00.000Z',
      'a',
    ]);
    const filters = 'status' in other ? equals({ account_id: 'acct_1', ...other }) : scope.filters;
    expect(() => listQuery({ cursor, ...other }, { ...scope, filters })).toThrow(
      /^cursor belongs to another list, other filters or another sort\./,
    );
  });

  it('returns the records unchanged, without the extra one that shows that more follow', () => {
    fc.assert(
      fc.property(
        fc.array(fc.record({ id: fc.string({ unit: 'binary' }), created_at: fc.string() }), {
          maxLength: 3,
        }),
        (rows) => {
          const list = listQuery({ limit: '2' }, scope);
          const { next_cursor } = page(list, rows);
          expect(list.page(linesOf(rows))).toBe(
            JSON.stringify({
              object: 'list',
              data: rows.slice(0, 2),
              has_more: rows.length > 2,
              next_cursor,
            }),
          );
          expect(next_cursor !== null).toBe(rows.length > 2);
        },
      ),
    );
  });

  it.each(['x', '', 'W10', 'WzEsMiwzXQ', Buffer.from('["a","b"]').toString('base64url')])(
    'rejects an invalid cursor: %j',
    (cursor) => {
      expect(() => listQuery({ cursor }, scope)).toThrow(/^cursor is not a cursor/);
    },
  );

  it('walks every row exactly once, in order, whatever the page size', () => {
    const row = fc.record({
      id: fc.uuid(),
      created_at: fc.integer({ min: 0, max: 5 }).map((ms) => new Date(ms).toISOString()),
    });
    fc.assert(
      fc.property(
        fc.uniqueArray(row, { selector: ({ id }) => id, maxLength: 30 }),
        fc.integer({ min: 1, max: 7 }),
        fc.constantFrom('created_at' as const, '-created_at' as const),
        (rows, limit, sort) => {
          const expected = [...rows].sort((a, b) =>
            a.created_at + a.id < b.created_at + b.id ? -1 : 1,
          );
          expect(walk(rows, { limit: String(limit), sort })).toEqual(
            sort === 'created_at' ? expected : expected.reverse(),
          );
        },
      ),
    );
  });
});
