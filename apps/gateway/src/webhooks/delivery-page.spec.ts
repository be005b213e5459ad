import { derivedId, type ValidationIssue } from '@refledger/contracts';
import type { DeliverySummary } from '@refledger/webhooks';
import { deliveryPage } from './delivery-page.js';

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
const pageOf = (...args: Parameters<typeof deliveryPage>) => deliveryPage(...args);

it('is the newest first, 25 of them, unless asked otherwise', () => {
  expect(pageOf(accountId, {}).query).toMatchObject({
    accountId,
    limit: 26,
    order: { by: 'created_at', descending: true },
  });
  expect(pageOf(accountId, { sort: 'finished_at', limit: '2' }).query).toMatchObject({
    limit: 3,
    order: { by: 'finished_at', descending: false },
  });
});

it('follows the end of deliveries with finished_after, rounded down to milliseconds', () => {
  const query = { finished_after: '2026-01-01T01:00:00.0009+01:00', sort: 'created_at' } as const;
  expect(pageOf(accountId, query).query).toMatchObject({
    finishedAfter: at(0),
    order: { by: 'finished_at', descending: false },
  });
});

it.each(['created_at', '-finished_at'] as const)('goes on after its last row by %s', (sort) => {
  const page = pageOf(accountId, { limit: '2', sort });
  const body = page.response([1, 2, 3].map(delivery)).body as Page;
  expect(body.data.map(({ id }) => id)).toEqual([delivery(1).id, delivery(2).id]);
  expect(body.has_more).toBe(true);
  const { query } = pageOf(accountId, { limit: '1', sort, cursor: body.next_cursor ?? '' });
  expect(query.after).toEqual([sort === 'created_at' ? at(2) : at(3), delivery(2).id]);
});

it('has no cursor on its last page', () => {
  expect(pageOf(accountId, { limit: '2' }).response([1, 2].map(delivery)).body).toMatchObject({
    has_more: false,
    next_cursor: null,
  });
});

it('refuses the cursor of another account, filter or sort, and what is none', () => {
  const page = pageOf(accountId, { limit: '1', status: 'failed' });
  const cursor = (page.response([1, 2].map(delivery)).body as Page).next_cursor ?? '';
  const issueOf = (...args: Parameters<typeof deliveryPage>): string | undefined => {
    try {
      pageOf(...args);
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
