import { derivedId, newId, type DeliveryStatus, type ReplayScope } from '@refledger/contracts';
import { endpointVersion } from '@refledger/webhook-endpoints/testing';
import type { IndexedEvent } from './event-index.js';
import { shouldSend, isWanted } from './replayed-events.js';

const [own, other] = [newId('replay'), newId('replay')];
const endpointId = newId('endpoint');
const eventId = newId('event');

const event = (over: Partial<IndexedEvent> = {}): IndexedEvent => ({
  eventId,
  type: 'conversion.created',
  objectId: derivedId('conversion', '1'),
  position: '7' as IndexedEvent['position'],
  ...over,
});

describe('an event is wanted', () => {
  const endpoint = endpointVersion({ events: ['conversion.created', 'affiliate.created'] });
  const wanted = isWanted({ types: null, endpointId }, endpoint);

  it('if the endpoint subscribes to its kind now', () => {
    expect(wanted(event())).toBe(true);
    expect(wanted(event({ type: 'conversion.refunded' }))).toBe(false);
  });

  it('by a pattern, too', () => {
    const byPattern = isWanted(
      { types: null, endpointId },
      { events: ['payout.*', 'affiliate.*'] },
    );
    expect(byPattern(event({ type: 'affiliate.deleted' }))).toBe(true);
    expect(byPattern(event({ type: 'payout_run.started' }))).toBe(false);
    expect(byPattern(event())).toBe(false);
    const one = isWanted({ types: ['affiliate.created'], endpointId }, { events: ['*'] });
    expect(one(event({ type: 'affiliate.created' }))).toBe(true);
    expect(one(event())).toBe(false);
  });

  it('and the replay names its kind, if it names any', () => {
    const some = isWanted(
      { types: ['affiliate.created', 'conversion.refunded'], endpointId },
      endpoint,
    );
    expect(some(event())).toBe(false);
    expect(some(event({ type: 'affiliate.created' }))).toBe(true);
    expect(some(event({ type: 'conversion.refunded' }))).toBe(false);
  });

  it('unless it is about the endpoint itself', () => {
    expect(wanted(event({ objectId: endpointId }))).toBe(false);
  });
});

describe('an event is replayed', () => {
  const replayed = (only: ReplayScope, ...statuses: readonly DeliveryStatus[]): boolean =>
    shouldSend(
      { id: own, only },
      statuses.map((status) => ({ eventId, status, replayId: other })),
    );

  it.each<[only: ReplayScope, yes: readonly DeliveryStatus[][], no: readonly DeliveryStatus[][]]>([
    ['all', [[], ['succeeded'], ['waiting'], ['failed', 'succeeded']], []],
    [
      'missing',
      [[], ['failed'], ['canceled'], ['failed', 'canceled']],
      [
        ['succeeded'],
        ['waiting'],
        ['held'],
        ['sending'],
        ['failed', 'succeeded'],
        ['canceled', 'held'],
      ],
    ],
    [
      'failed',
      [['failed'], ['failed', 'canceled']],
      [[], ['canceled'], ['succeeded'], ['failed', 'succeeded'], ['failed', 'waiting']],
    ],
  ])('with only: %s', (only, yes, no) => {
    for (const statuses of yes)
      expect([statuses, replayed(only, ...statuses)]).toEqual([statuses, true]);
    for (const statuses of no)
      expect([statuses, replayed(only, ...statuses)]).toEqual([statuses, false]);
  });

  it.each<ReplayScope>(['missing', 'failed', 'all'])(
    'once more by the same replay, whatever became of its delivery: only %s',
    (only) => {
      for (const status of ['waiting', 'succeeded', 'failed'] as const)
        expect(shouldSend({ id: own, only }, [{ eventId, status, replayId: own }])).toBe(true);
    },
  );
});
