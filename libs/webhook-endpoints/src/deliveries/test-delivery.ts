import {
  exampleRecordOf,
  newId,
  type AccountId,
  type EndpointId,
  type PublicEventType,
  type Payload,
  type Position,
} from '@refledger/contracts';
import type { RequestedDelivery } from '@refledger/delivery-store';
import { positionOfTests, testBody } from './delivery-body.js';

export interface RequestedTest {
  readonly accountId: AccountId;
  readonly endpointId: EndpointId;
  readonly type: PublicEventType;
  readonly payload: Payload;
  /** How far the endpoint is known. */
  readonly decidedAt: Position;
  /** RFC 3339. */
  readonly now: string;
}

/** Makes a delivery of an event that never happened, about the example of its record. */
export const testDelivery = ({
  accountId,
  endpointId,
  type,
  payload,
  decidedAt,
  now: timestamp,
}: RequestedTest): RequestedDelivery => {
  const id = newId('event');
  const record = exampleRecordOf(type);
  return {
    id: newId('delivery'),
    accountId,
    endpointId,
    eventId: id,
    eventType: type,
    objectId: record.id,
    trigger: 'test',
    position: positionOfTests,
    decidedAt,
    payload,
    body: testBody({ id, type, timestamp, accountId, record }, payload),
    status: 'waiting',
    reason: null,
  };
};
