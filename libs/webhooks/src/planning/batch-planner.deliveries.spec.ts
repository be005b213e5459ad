import { newId, type Position } from '@refledger/contracts';
import type { PublishedRecord } from '@refledger/event-bus';
import { endpointVersion } from '@refledger/webhook-endpoints/testing';
import type { EndpointVersion } from '@refledger/webhook-endpoints';
import { planDeliveries } from './batch-planner.js';

const endpointId = newId('endpoint');
const record: PublishedRecord = {
  eventId: '3f1c6a52-0000-4000-8000-000000000007',
  type: 'affiliate.created',
  accountId: newId('account'),
  key: 'k',
  position: '7' as Position,
  revision: 0,
  timestamp: '2026-01-01T00:00:00.000Z',
  record: { id: 'aff_1', object: 'affiliate' } as unknown as PublishedRecord['record'],
};

const planned = (latest: EndpointVersion | undefined, isHeld: boolean, mayStart = true) =>
  planDeliveries([record], {
    floor: undefined,
    directory: {
      matching: () => [{ endpointId, payload: 'thin', isHeld }],
      latest: () => latest,
    },
    mayStart: () => mayStart,
  })[0];

it.each([
  ['sends to an enabled endpoint', endpointVersion(), false, 'sending'],
  [
    'holds a delivery if its endpoint was paused at the event, even if it has been enabled since',
    endpointVersion(),
    true,
    'held',
  ],
  [
    'holds a delivery if its endpoint was paused after the event',
    endpointVersion({ status: 'paused' }),
    false,
    'held',
  ],
  [
    'cancels what has been dropped since',
    endpointVersion({ droppedAt: '8' as Position }),
    true,
    'canceled',
  ],
  ['cancels a delivery if its endpoint has been unsubscribed since', undefined, false, 'canceled'],
])('%s', (_, latest, isHeld, status) => {
  expect(planned(latest, isHeld)).toMatchObject({ status, payload: 'thin', decidedAt: '7' });
});

it('asks who wants an event about this record', () => {
  const asked: unknown[] = [];
  const directory = { matching: (of: unknown) => (asked.push(of), []), latest: () => undefined };
  planDeliveries([record], { floor: undefined, directory, mayStart: () => true });
  expect(asked).toMatchObject([{ type: 'affiliate.created', position: '7', objectId: 'aff_1' }]);
});

it('lets a delivery wait while its endpoint may take no more', () => {
  expect(planned(endpointVersion(), false, false)?.status).toBe('waiting');
});

it('makes a body only for what may be sent at once, and asks for room only for that', () => {
  expect(planned(endpointVersion(), false)?.body).toContain('"position":"7"');
  expect(planned(endpointVersion(), true)?.body).toBeNull();
  expect(planned(undefined, false)).toMatchObject({
    body: null,
    reason: 'the endpoint was unsubscribed',
  });
});
