import { derivedId } from '@refledger/contracts';
import type { Replay } from '@refledger/delivery-store';
import { replayListRequest } from './replay-list-request.js';

const endpoint = derivedId('endpoint', 'one');
const replay = (n: number) =>
  ({
    id: derivedId('replay', String(n)),
    createdAt: `2026-01-31T09:00:0${n}.000Z`,
    types: null,
  }) as unknown as Replay;
interface Page {
  readonly data: readonly { readonly id: string }[];
  readonly has_more: boolean;
  readonly next_cursor: string | null;
}
const bodyOf = (request: ReturnType<typeof replayListRequest>, ...found: readonly number[]) =>
  request.response(found.map(replay)).body as Page;

it('asks for the newest first, 25 of them and one more to tell whether more follow', () => {
  expect(replayListRequest(endpoint, {}).query).toEqual({
    endpointId: endpoint,
    descending: true,
    after: undefined,
    limit: 26,
  });
});

it('bounds the creation by instants that are rounded outwards to milliseconds', () => {
  const query = {
    created_after: '2026-01-31T10:00:00.0009+01:00',
    created_before: '2026-01-31T09:00:01.9991Z',
  };
  const request = replayListRequest(endpoint, { ...query, limit: '1' });
  expect(request.query).toMatchObject({
    createdAfter: '2026-01-31T09:00:00.000Z',
    createdBefore: '2026-01-31T09:00:02.000Z',
  });
  const cursor = bodyOf(request, 1, 2).next_cursor ?? '';
  expect(replayListRequest(endpoint, { ...query, cursor }).query.after).toHaveLength(2);
});

it('includes created_from, and excludes created_to', () => {
  const query = { created_from: '2026-01-31T09:00:00Z', created_to: '2026-01-31T09:00:02Z' };
  expect(replayListRequest(endpoint, query).query).toMatchObject({
    createdAfter: '2026-01-31T08:59:59.999Z',
    createdBefore: '2026-01-31T09:00:02.000Z',
  });
});

it('continues after the last replay of the page', () => {
  const query = { limit: '2', sort: 'created_at' } as const;
  const body = bodyOf(replayListRequest(endpoint, query), 1, 2, 3);
  expect(body.data.map(({ id }) => id)).toEqual([replay(1).id, replay(2).id]);
  expect(body.has_more).toBe(true);
  const next = replayListRequest(endpoint, { ...query, cursor: body.next_cursor ?? '' });
  expect(next.query).toMatchObject({
    descending: false,
    after: [replay(2).createdAt, replay(2).id],
  });
  expect(bodyOf(next, 3)).toMatchObject({ has_more: false, next_cursor: null });
});

it('refuses the cursor of another endpoint or sort, and anything that is not a cursor', () => {
  const cursor = bodyOf(replayListRequest(endpoint, { limit: '1' }), 1, 2).next_cursor ?? '';
  const refused = expect.objectContaining({ code: 'validation_failed' }) as Error;
  const other = derivedId('endpoint', 'two');
  const created_after = '2026-01-31T09:00:00Z';
  expect(() => replayListRequest(endpoint, { limit: '9', cursor })).not.toThrow();
  expect(() => replayListRequest(other, { cursor })).toThrow(refused);
  expect(() => replayListRequest(endpoint, { cursor, sort: 'created_at' })).toThrow(refused);
  expect(() => replayListRequest(endpoint, { cursor, created_after })).toThrow(refused);
  expect(() => replayListRequest(endpoint, { cursor: 'WzEsMl0' })).toThrow(refused);
});
