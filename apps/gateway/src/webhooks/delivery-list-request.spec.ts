import { derivedId, type ValidationIssue } from '@refledger/contracts';
import type { DeliveryCursor, DeliverySummary } from '@refledger/delivery-store';
import { deliveryListRequest } from './delivery-list-request.js';

const accountId = derivedId('account', 'one');
const at = (second: number) => `2026-01-01T00:00:0${second}.000Z`;
const delivery = (n: number): DeliverySummary => ({
  id: derivedId('delivery', String(n)),
  accountId,
  endpointId: derivedId('endpoint', 'one'),
  eventId: derivedId('event', String(n)),
  eventType: 'conversion.created',
  objectId: 'conv_1',
  trigger: 'event',
  replayId: null,
  position: String(n) as DeliverySummary['position'],
  decidedAt: String(n) as DeliverySummary['position'],
  status: 'failed',
  attemptCount: 1,
  failures: 1,
  dueAt: null,
  createdAt: at(n),
  finishedAt: at(n + 1),
  reason: 'given up',
});
interface Page {
  readonly data: readonly { readonly id: string }[];
  readonly has_more: boolean;
  readonly next_cursor: string | null;
}
/** The page that a request returns for these deliveries; the list continues at `next`. */
const bodyOf = (
  request: ReturnType<typeof deliveryListRequest>,
  numbers: readonly number[],
  next?: DeliveryCursor,
) => request.response({ deliveries: numbers.map(delivery), next }, []).body as Page;
const cursorAt: DeliveryCursor = [at(2), delivery(2).id];

it('asks for the newest first, 25 of them, unless told otherwise', () => {
  expect(deliveryListRequest(accountId, {}).query).toMatchObject({
    accountId,
    limit: 25,
    order: { by: 'created_at', descending: true },
  });
  expect(deliveryListRequest(accountId, { sort: 'finished_at', limit: '2' }).query).toMatchObject({
    limit: 2,
    order: { by: 'finished_at', descending: false },
  });
});

it('sorts by the end of deliveries with finished_after, which is rounded down to milliseconds', () => {
  const query = { finished_after: '2026-01-01T01:00:00.0009+01:00', sort: 'created_at' } as const;
  expect(deliveryListRequest(accountId, query).query).toMatchObject({
    finishedAfter: at(0),
    order: { by: 'finished_at', descending: false },
  });
});

it('bounds the creation by instants that are rounded outwards to milliseconds', () => {
  const query = {
    created_after: '2026-01-01T01:00:00.0009+01:00',
    created_before: '2026-01-01T00:00:01.9991Z',
  };
  const request = deliveryListRequest(accountId, query);
  expect(request.query).toMatchObject({
    createdAfter: at(0),
    createdBefore: at(2),
    order: { by: 'created_at', descending: true },
  });
  const cursor = bodyOf(request, [1], cursorAt).next_cursor ?? '';
  expect(deliveryListRequest(accountId, { ...query, cursor }).query.after).toEqual(cursorAt);
  const refused = expect.objectContaining({ code: 'validation_failed' }) as Error;
  for (const other of [{}, { ...query, created_after: at(1) }, { created_after: at(0) }])
    expect(() => deliveryListRequest(accountId, { ...other, cursor })).toThrow(refused);
});

it('includes created_from, and excludes created_to', () => {
  expect(
    deliveryListRequest(accountId, { created_from: at(1), created_to: at(2) }).query,
  ).toMatchObject({
    createdAfter: '2026-01-01T00:00:00.999Z',
    createdBefore: at(2),
    order: { by: 'created_at', descending: true },
  });
});

it('continues where the page ends, even if it is empty', () => {
  for (const found of [[1, 2], []]) {
    const body = bodyOf(deliveryListRequest(accountId, { limit: '2' }), found, cursorAt);
    expect(body.data.map(({ id }) => id)).toEqual(found.map((n) => delivery(n).id));
    expect(body.has_more).toBe(true);
    const cursor = body.next_cursor ?? '';
    expect(deliveryListRequest(accountId, { limit: '1', cursor }).query.after).toEqual(cursorAt);
  }
});

it('has no cursor on its last page', () => {
  expect(bodyOf(deliveryListRequest(accountId, { limit: '2' }), [1, 2])).toMatchObject({
    has_more: false,
    next_cursor: null,
  });
});

it('refuses the cursor of another account, filter or sort, and anything that is not a cursor', () => {
  const request = deliveryListRequest(accountId, { limit: '1', status: 'failed' });
  const cursor = bodyOf(request, [1], cursorAt).next_cursor ?? '';
  const issueOf = (...args: Parameters<typeof deliveryListRequest>): string | undefined => {
    try {
      deliveryListRequest(...args);
      return undefined;
    } catch (error) {
      const { extras } = error as { extras: { errors: readonly ValidationIssue[] } };
      return extras.errors[0]?.code;
    }
  };
  expect(issueOf(accountId, { status: 'failed', cursor })).toBeUndefined();
  expect(issueOf(derivedId('account', 'two'), { status: 'failed', cursor })).toBe('bad_cursor');
  expect(issueOf(accountId, { cursor })).toBe('bad_cursor');
  expect(issueOf(accountId, { status: 'failed', sort: 'created_at', cursor })).toBe('bad_cursor');
  expect(issueOf(accountId, { cursor: 'WzEsMl0' })).toBe('bad_cursor');
});

it('shows which later delivery recovered an event', () => {
  const recovery = derivedId('delivery', 'later');
  const page = { deliveries: [delivery(1), delivery(2)], next: undefined };
  const { body } = deliveryListRequest(accountId, {}).response(page, [undefined, recovery]);
  expect(body).toMatchObject({ data: [{ recovered_by: null }, { recovered_by: recovery }] });
});
