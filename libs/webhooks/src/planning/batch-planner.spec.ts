import {
  derivedId,
  newId,
  type EndpointId,
  type EventId,
  type Position,
} from '@refledger/contracts';
import type { ClaimedDelivery, PlannedDelivery } from '@refledger/delivery-store';
import type { BusBatch, Offset, PublishedRecord } from '@refledger/event-bus';
import { EveryKey } from '@refledger/personal-data/testing';
import { endpointVersion } from '@refledger/webhook-endpoints/testing';
import { BatchPlanner, type BatchPlannerOptions } from './batch-planner.js';

const positionOf = (position: number): Position => String(position) as Position;
const [account, endpoint] = [newId('account'), newId('endpoint')];
const affiliate = derivedId('affiliate', 'ada');

const recordAt = (position: number): PublishedRecord => ({
  eventId: `3f1c6a52-0000-4000-8000-${String(position).padStart(12, '0')}` as EventId,
  type: 'affiliate.created',
  accountId: account,
  key: account,
  position: positionOf(position),
  revision: 0,
  timestamp: '2026-01-01T00:00:00.000Z',
  record: { id: affiliate, name: 'Ada' } as unknown as PublishedRecord['record'],
});
const batchOf = (...positions: readonly number[]): BusBatch => ({
  records: positions.map(recordAt),
  offset: { source: 's', partition: 'p', offset: String(positions.at(-1)) },
});

const schedulerWith = ({ hasRoom = false }) => {
  const used: ClaimedDelivery[] = [];
  const released: EndpointId[] = [];
  const reservationOf = (to: EndpointId) => ({
    use: (delivery: ClaimedDelivery) => void used.push(delivery),
    release: () => void released.push(to),
  });
  const scheduler = {
    reserve: (to: EndpointId) => (hasRoom ? reservationOf(to) : undefined),
    enqueue: () => undefined,
  };
  return { scheduler, used, released };
};

const given = (options: {
  readonly inLogOrder: boolean;
  readonly floor?: Position;
  readonly planFails?: boolean;
  readonly hasRoom?: boolean;
  readonly offset?: Offset;
}) => {
  const reported: string[] = [];
  const stored: PlannedDelivery[] = [];
  const keys = new EveryKey();
  const { scheduler, used, released } = schedulerWith(options);
  const newLease = () => ({ holder: 'h', now: '', leaseUntil: '' });
  const tracker: BatchPlannerOptions['tracker'] = {
    followTo: (position) => Promise.resolve(void reported.push(`followed to ${position}`)),
    recheck: () => Promise.resolve(),
  };
  const directory: BatchPlannerOptions['directory'] = {
    matching: ({ position }) => {
      reported.push(`matched at ${position}`);
      return [{ endpointId: endpoint, payload: 'full', isHeld: false }];
    },
    latest: () => endpointVersion(),
    forgetUpTo: (floor) => void reported.push(`forgot up to ${floor}`),
    continueAbove: (floor) => Promise.resolve(void reported.push(`continues above ${floor}`)),
  };
  const store: BatchPlannerOptions['store'] = {
    floor: () => Promise.resolve(options.floor),
    offset: () => Promise.resolve(options.offset),
    plan: ({ deliveries }) =>
      options.planFails === true
        ? Promise.reject(new Error('disk full'))
        : Promise.resolve(deliveries.map((one) => (stored.push(one), one.id))),
  };
  const offsets = {
    later: () => undefined,
    flush: () => Promise.resolve(),
    forget: () => undefined,
  };
  return {
    planner: new BatchPlanner({
      store,
      directory,
      tracker,
      scheduler,
      newLease,
      texts: keys.texts,
      offsets,
      inLogOrder: options.inLogOrder,
    }),
    reported,
    stored,
    keys,
    released,
    used,
  };
};

it('continues above the current floor of the store', async () => {
  const { planner, reported } = given({ inLogOrder: true, floor: positionOf(7) });
  await planner.offsetOf('p');
  expect(reported).toEqual(['continues above 7']);
});

it('forgets endpoint history once it is planned, if the bus is in log order', async () => {
  const { planner, reported } = given({ inLogOrder: true });
  await planner.plan(batchOf(3, 5));
  await planner.plan(batchOf(5, 6));
  expect(reported).toEqual([
    'followed to 5',
    'matched at 3',
    'matched at 5',
    'forgot up to 5',
    'followed to 6',
    'matched at 6',
    'forgot up to 6',
  ]);
});

it('keeps the history of a batch whose plan failed', async () => {
  const { planner, reported } = given({ inLogOrder: true, planFails: true });
  await expect(planner.plan(batchOf(3))).rejects.toThrow('disk full');
  expect(reported).toEqual(['followed to 3', 'matched at 3']);
});

it('on unordered partitions, forgets history and skips records only up to a floor that all have passed', async () => {
  const { planner, reported } = given({ inLogOrder: false });
  await planner.plan(batchOf(9));
  await planner.plan(batchOf(4));
  planner.raiseFloor(positionOf(5));
  await planner.plan(batchOf(5, 6));
  expect(reported).toEqual([
    'followed to 9',
    'matched at 9',
    'followed to 4',
    'matched at 4',
    'forgot up to 5',
    'followed to 6',
    'matched at 6',
  ]);
});

it('knows how far a bus in log order is planned, also after a decision to go back', async () => {
  const { planner } = given({ inLogOrder: true, offset: batchOf(4).offset });
  expect(planner.position).toBeUndefined();
  await planner.offsetOf('p');
  expect(planner.position).toBe('4');
  await planner.plan(batchOf(6));
  await planner.plan(batchOf(5));
  expect(planner.position).toBe('6');
  await planner.offsetOf('p');
  expect(planner.position).toBe('4');
  const failing = given({ inLogOrder: true, planFails: true }).planner;
  await failing.plan(batchOf(3)).catch(() => undefined);
  expect(failing.position).toBeUndefined();
});

describe('the bodies of an affiliate’s deliveries', () => {
  it('are sealed with the keys of the batch in one call, in the store and in memory', async () => {
    const { planner, stored, used, keys } = given({ inLogOrder: true, hasRoom: true });
    await planner.plan(batchOf(3, 5));
    expect(keys.reads).toEqual([[affiliate]]);
    expect(stored).toHaveLength(2);
    expect(used.map(({ body }) => body)).toEqual(stored.map(({ body }) => body));
    for (const { body, ...delivery } of stored) {
      expect(body).toMatch(/^v1\.[\w-]+$/);
      expect((await keys.texts.keyOf(delivery)).openBody(body)).toContain('"name":"Ada"');
    }
  });

  it('are not stored once the affiliate is erased', async () => {
    const { planner, stored, keys } = given({ inLogOrder: true });
    keys.erased.add(affiliate);
    await planner.plan(batchOf(3));
    expect(stored).toMatchObject([{ status: 'waiting', body: null }]);
  });

  it('let no delivery of the batch be planned while the key is missing', async () => {
    const { planner, stored, released, keys } = given({ inLogOrder: true, hasRoom: true });
    keys.lost.add(affiliate);
    await expect(planner.plan(batchOf(3))).rejects.toMatchObject({ code: 'unavailable' });
    expect([stored, released]).toEqual([[], [endpoint]]);
  });
});
