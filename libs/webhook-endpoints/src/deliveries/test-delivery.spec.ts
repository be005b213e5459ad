import { derivedId, exampleRecordOf, type Position } from '@refledger/contracts';
import { testDelivery, type RequestedTest } from './test-delivery.js';

const requested: RequestedTest = {
  accountId: derivedId('account', 'a'),
  endpointId: derivedId('endpoint', 'e'),
  type: 'conversion.approved',
  payload: 'full',
  decidedAt: '7' as Position,
  now: '2026-01-31T09:30:00.000Z',
};

it('has the example of the record, and says that it is a test', () => {
  const delivery = testDelivery(requested);
  const record = exampleRecordOf('conversion.approved');
  expect(delivery).toMatchObject({
    endpointId: requested.endpointId,
    objectId: record.id,
    trigger: 'test',
    status: 'waiting',
    position: '0',
    decidedAt: '7',
  });
  expect(JSON.parse(delivery.body ?? '')).toEqual({
    id: delivery.eventId,
    type: 'conversion.approved',
    test: true,
    timestamp: requested.now,
    account_id: requested.accountId,
    position: '0',
    data: record,
  });
});

it('has only what names the record for an endpoint with a thin payload', () => {
  const { id, object } = exampleRecordOf('conversion.approved');
  const { body } = testDelivery({ ...requested, payload: 'thin' });
  const { data } = JSON.parse(body ?? '') as { data: object };
  expect(data).toEqual({ id, object, revision: expect.any(Number) as unknown });
});

it('has ids of its own each time', () => {
  const [one, two] = [testDelivery(requested), testDelivery(requested)];
  expect(one.id).not.toBe(two.id);
  expect(one.eventId).not.toBe(two.eventId);
});
