import { derivedId, newCommandId, toInstant, type Position } from '@refledger/contracts';
import type { PublishedRecord } from '@refledger/event-bus';
import fc from 'fast-check';
import { deliveryBody, recordedAt, revisionIn } from './delivery-body.js';

const publishedAt = (at: Date, record: PublishedRecord['record']): PublishedRecord => ({
  eventId: newCommandId(),
  type: 'affiliate.created',
  accountId: derivedId('account', 'a'),
  key: 'k',
  position: '1' as Position,
  revision: 0,
  timestamp: toInstant(at.getTime()),
  record,
});

it('with a thin payload has only what names the record, and is otherwise the same', () => {
  const { id } = { id: derivedId('affiliate', 'a') };
  const record = { id, object: 'affiliate', revision: 3, name: 'Ada' };
  const published = publishedAt(new Date(0), record as unknown as PublishedRecord['record']);
  const [full, thin] = (['full', 'thin'] as const).map((payload) =>
    deliveryBody(published, payload),
  );
  expect(JSON.parse(thin ?? '')).toEqual({
    ...(JSON.parse(full ?? '') as object),
    data: { id, object: 'affiliate', revision: 3 },
  });
  expect([full, thin].map((body) => revisionIn(body ?? ''))).toEqual([3, 3]);
});

it('has a sum exactly that no number can hold', () => {
  const totals = [{ currency: 'USD', payouts: 2, amount: 9_007_199_254_740_993n }];
  const record = { id: derivedId('run', 'a'), object: 'payout_run', revision: 1, totals };
  const published = publishedAt(new Date(0), record as unknown as PublishedRecord['record']);
  expect(deliveryBody(published, 'full')).toContain('"payouts":2,"amount":9007199254740993}');
});

it('has no revision if the record has none, and says so with a thin payload', () => {
  const id = derivedId('endpoint', 'a');
  const record = { id, object: 'webhook_endpoint' } as PublishedRecord['record'];
  const published = publishedAt(new Date(0), record);
  const [full, thin] = [deliveryBody(published, 'full'), deliveryBody(published, 'thin')];
  expect(JSON.parse(thin)).toMatchObject({ data: { ...record, revision: null } });
  expect([revisionIn(full), revisionIn(thin)]).toEqual([undefined, undefined]);
});

it('has the time at which its event was recorded, whatever the record contains', () => {
  fc.assert(
    fc.property(
      fc.date({ min: new Date(0), max: new Date('9999-12-31'), noInvalidDate: true }),
      fc.string(),
      (at, name) => {
        const record = { name: `"timestamp":"${name}"` } as unknown as PublishedRecord['record'];
        const body = deliveryBody(publishedAt(at, record), 'full');
        expect(recordedAt(body)).toBe(at.getTime());
      },
    ),
  );
});
