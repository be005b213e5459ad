import { derivedId, type ValidationIssue } from '@refledger/contracts';
import { deliveryListRequest, pageResponse, replayListRequest } from './list-requests.js';

const accountId = derivedId('account', 'one');
const endpoint = derivedId('endpoint', 'one');
const at = (second: number) => `2026-01-01T00:00:0${second}.000Z`;
const endOf = (kind: 'delivery' | 'replay') => [at(2), derivedId(kind, '2')] as const;
interface Page {
  readonly data: readonly unknown[];
  readonly has_more: boolean;
  readonly next_cursor: string | null;
}
/** The page that a request returns for these records; the list continues at `next`. */
const pageOf = (
  { scope }: { readonly scope: readonly string[] },
  records: readonly unknown[],
  next?: ReturnType<typeof endOf>,
) => pageResponse({ records, next }, scope).body as Page;

const deliveries = (query: Parameters<typeof deliveryListRequest>[1], account = accountId) =>
  deliveryListRequest(account, query);
const replays = (query: Parameters<typeof replayListRequest>[1], of = endpoint) =>
  replayListRequest(of, query);
const cursorOf = (request: { readonly scope: readonly string[] }, kind: 'delivery' | 'replay') =>
  pageOf(request, [1], endOf(kind)).next_cursor ?? '';

/** The code of the issue with a request; undefined if it is valid. */
const issueWith = (make: () => unknown): string | undefined => {
  try {
    make();
    return undefined;
  } catch (error) {
    const { extras } = error as { extras: { errors: readonly ValidationIssue[] } };
    return extras.errors[0]?.code;
  }
};

it('asks for the newest first, 25 of them, unless told otherwise', () => {
  expect(deliveries({}).query).toMatchObject({
    accountId,
    limit: 25,
    order: { by: 'created_at', descending: true },
  });
  expect(deliveries({ sort: 'finished_at', limit: '2' }).query).toMatchObject({
    limit: 2,
    order: { by: 'finished_at', descending: false },
  });
  expect(replays({}).query).toEqual({
    endpointId: endpoint,
    descending: true,
    after: undefined,
    limit: 25,
  });
  expect(replays({ sort: 'created_at', limit: '2' }).query).toMatchObject({
    descending: false,
    limit: 2,
  });
});

it('sorts by the end of deliveries with finished_after, which is rounded down to milliseconds', () => {
  const query = { finished_after: '2026-01-01T01:00:00.0009+01:00', sort: 'created_at' } as const;
  expect(deliveries(query).query).toMatchObject({
    finishedAfter: at(0),
    order: { by: 'finished_at', descending: false },
  });
});

it('bounds the creation by instants that are rounded outwards to milliseconds', () => {
  const query = {
    created_after: '2026-01-01T01:00:00.0009+01:00',
    created_before: '2026-01-01T00:00:01.9991Z',
  };
  const within = { createdAfter: at(0), createdBefore: at(2) };
  expect(deliveries(query).query).toMatchObject({
    ...within,
    order: { by: 'created_at', descending: true },
  });
  expect(replays(query).query).toMatchObject(within);
});

it('includes created_from, and excludes created_to', () => {
  const query = { created_from: at(1), created_to: at(2) };
  const within = { createdAfter: '2026-01-01T00:00:00.999Z', createdBefore: at(2) };
  expect(deliveries(query).query).toMatchObject({
    ...within,
    order: { by: 'created_at', descending: true },
  });
  expect(replays(query).query).toMatchObject(within);
});

it.each(['delivery', 'replay'] as const)(
  'continues where the page of each %s ends, even if it is empty',
  (kind) => {
    const list = kind === 'delivery' ? deliveries : replays;
    for (const found of [[1, 2], []]) {
      const body = pageOf(list({ limit: '2' }), found, endOf(kind));
      expect(body).toMatchObject({ object: 'list', data: found, has_more: true });
      const cursor = body.next_cursor ?? '';
      expect(list({ limit: '1', cursor }).query.after).toEqual(endOf(kind));
    }
  },
);

it('has no cursor on its last page', () => {
  expect(pageOf(deliveries({ limit: '2' }), [1, 2])).toEqual({
    object: 'list',
    data: [1, 2],
    has_more: false,
    next_cursor: null,
  });
});

it('refuses the cursor of other deliveries or another sort, and anything that is not a cursor', () => {
  const query = { status: 'failed', created_after: at(0), created_before: at(2) } as const;
  const cursor = cursorOf(deliveries(query), 'delivery');
  const issue = (other: Partial<Parameters<typeof deliveries>[0]>, account = accountId) =>
    issueWith(() => deliveries({ ...query, cursor, ...other }, account));
  expect(issue({ limit: '1' })).toBeUndefined();
  expect(issue({}, derivedId('account', 'two'))).toBe('bad_cursor');
  expect(issue({ status: undefined })).toBe('bad_cursor');
  expect(issue({ sort: 'created_at' })).toBe('bad_cursor');
  expect(issue({ created_after: at(1) })).toBe('bad_cursor');
  expect(issue({ created_before: undefined })).toBe('bad_cursor');
  expect(issue({ created_after: undefined, created_before: undefined })).toBe('bad_cursor');
  expect(issue({ cursor: 'WzEsMl0' })).toBe('bad_cursor');
  expect(issue({ cursor: cursorOf(deliveries(query), 'replay') })).toBe('bad_cursor');
});

it('refuses the cursor of another endpoint’s replays or another sort, and anything that is not a cursor', () => {
  const query = { created_before: at(2) };
  const cursor = cursorOf(replays(query), 'replay');
  const issue = (other: Partial<Parameters<typeof replays>[0]>, of = endpoint) =>
    issueWith(() => replays({ ...query, cursor, ...other }, of));
  expect(issue({ limit: '9' })).toBeUndefined();
  expect(issue({}, derivedId('endpoint', 'two'))).toBe('bad_cursor');
  expect(issue({ sort: 'created_at' })).toBe('bad_cursor');
  expect(issue({ created_after: at(0) })).toBe('bad_cursor');
  expect(issue({ created_before: undefined, created_after: at(2) })).toBe('bad_cursor');
  expect(issue({ cursor: 'WzEsMl0' })).toBe('bad_cursor');
  expect(issue({ cursor: cursorOf(replays(query), 'delivery') })).toBe('bad_cursor');
});
