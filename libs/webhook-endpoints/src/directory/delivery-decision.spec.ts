import type { Position } from '@refledger/contracts';
import { endpointVersion } from '../testing/endpoint-version.js';
import { deliveriesChangesOf, decisionOf } from './delivery-decision.js';

const positionOf = (position: number): Position => String(position) as Position;
const decided = (position: number, trigger: 'event' | 'redeliver' = 'event') => ({
  trigger,
  decidedAt: positionOf(position),
});

describe('a delivery', () => {
  const gone = { status: 'disabled', disabled: 'gone', goneAt: positionOf(10) } as const;
  it.each([
    ['is sent to an enabled endpoint', decided(5), endpointVersion(), 'send'],
    ['is held for a paused one', decided(5), endpointVersion({ status: 'paused' }), 'hold'],
    [
      'is held for one that fails',
      decided(5),
      endpointVersion({ status: 'disabled', disabled: 'failing' }),
      'hold',
    ],
    ['is canceled if it is gone', decided(9), endpointVersion(gone), 'cancel'],
    [
      'is held if it was decided at or after the 410',
      decided(10, 'redeliver'),
      endpointVersion(gone),
      'hold',
    ],
    [
      'stays canceled when the endpoint is enabled again',
      decided(9, 'redeliver'),
      endpointVersion({ goneAt: positionOf(10) }),
      'cancel',
    ],
    [
      'of an earlier event is canceled by a drop',
      decided(99),
      endpointVersion({ droppedAt: positionOf(100) }),
      'cancel',
    ],
    [
      'of a later event is not',
      decided(100),
      endpointVersion({ droppedAt: positionOf(100) }),
      'send',
    ],
    [
      'that was asked for is not either',
      decided(9, 'redeliver'),
      endpointVersion({ droppedAt: positionOf(100) }),
      'send',
    ],
    ['is canceled with its endpoint', decided(5), undefined, 'cancel'],
  ])('%s', (_, delivery, endpoint, to) => {
    expect(decisionOf(delivery, endpoint).to).toBe(to);
  });
});

it('an endpoint that was gone, enabled with a drop, and paused implies all of these changes to its deliveries', () => {
  const endpoint = endpointVersion({
    status: 'paused',
    position: positionOf(30),
    goneAt: positionOf(10),
    droppedAt: positionOf(20),
  });
  expect(deliveriesChangesOf(endpoint, positionOf(99))).toEqual([
    {
      to: 'canceled',
      decidedBelow: positionOf(10),
      reason: 'the endpoint was disabled after a 410 Gone',
    },
    {
      to: 'canceled',
      decidedBelow: positionOf(20),
      reason: 'dropped when the endpoint was enabled',
      trigger: 'event',
    },
    { to: 'held', decidedBelow: positionOf(30) },
  ]);
});
