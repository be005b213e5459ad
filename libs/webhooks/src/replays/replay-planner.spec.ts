import { newId, type Position } from '@refledger/contracts';
import { endpointVersion } from '@refledger/webhook-endpoints/testing';
import type { EndpointVersion } from '@refledger/webhook-endpoints';
import type { DeliveryOfEvent, Replay } from '@refledger/delivery-store';
import type { IndexedEvent } from './event-index.js';
import { ReplayPlanner } from './replay-planner.js';

const positionOf = (position: number): Position => String(position) as Position;
const replay: Replay = {
  id: newId('replay'),
  accountId: newId('account'),
  endpointId: newId('endpoint'),
  logId: 'log',
  since: positionOf(0),
  until: positionOf(1_000),
  types: null,
  only: 'missing',
  status: 'running',
  at: positionOf(0),
  decidedAt: positionOf(5),
  planned: 0,
  succeeded: 0,
  failed: 0,
  isSettled: false,
  createdAt: '',
  finishedAt: null,
};
const event = (position: number): IndexedEvent => ({
  eventId: `evt_${position}` as IndexedEvent['eventId'],
  type: 'conversion.created',
  objectId: 'cnv',
  position: positionOf(position),
});

interface Given {
  readonly replay?: Partial<Replay>;
  readonly endpoint?: EndpointVersion | undefined;
  /** How far the endpoints are known, and how far they can become known. */
  readonly known?: readonly [number, number];
  readonly events?: readonly IndexedEvent[];
  /** How far the index of events has got. */
  readonly indexed?: number;
  /** How far the planner has got. */
  readonly planned?: number | undefined;
  readonly deliveries?: readonly DeliveryOfEvent[];
  /** How many deliveries wait for their turn, and how many wait in total. */
  readonly waiting?: readonly [turn: number, all: number];
}

/** What a planner does in one step, and whether more follows at once. */
const advanced = async (given: Given = {}): Promise<readonly string[]> => {
  const endpoint = 'endpoint' in given ? given.endpoint : endpointVersion();
  const [knownAtFirst, follows] = given.known ?? [2_000, 2_000];
  let known = knownAtFirst;
  const [turn, all] = given.waiting ?? [0, 0];
  const did: string[] = [];
  const planner = new ReplayPlanner({
    log: { id: 'log' },
    store: {
      stopReplay: () => Promise.resolve(void did.push('stopped')),
      planReplay: ({ deliveries, reached, isLast }) => {
        const ids = deliveries.map(({ position }) => position).join(' ');
        did.push(`planned [${ids}] up to ${reached}${isLast ? ', the last' : ''}`);
        return Promise.resolve(true);
      },
      countReplaying: () => Promise.resolve(turn),
      countWaiting: () => Promise.resolve(all),
      deliveriesOf: () => Promise.resolve(given.deliveries ?? []),
    },
    events: {
      read: ({ after, through, limit }) => {
        const reached = given.indexed ?? 2_000;
        const last = Math.min(Number(through), reached);
        return Promise.resolve({
          events: (given.events ?? [])
            .filter(({ position: p }) => Number(p) > Number(after) && Number(p) <= last)
            .slice(0, limit),
          reached: positionOf(reached),
        });
      },
    },
    directory: {
      latest: () => endpoint,
      get reached() {
        return positionOf(known);
      },
    },
    tracker: {
      followTo: () => {
        did.push('followed the endpoints');
        known = follows;
        return Promise.resolve();
      },
      changeOf: () => Promise.resolve(void did.push('changed what the endpoint demands')),
      recheck: () => Promise.resolve(void did.push('rechecked')),
    },
    rates: { perSecond: () => 20 },
    scheduler: { enqueue: (_endpoints, from) => void did.push(`enqueued ${from}`) },
    planned: {
      position: 'planned' in given ? given.planned && positionOf(given.planned) : positionOf(2_000),
    } as { readonly position: Position | undefined },
    clock: { now: () => 0 },
  });
  const isMore = await planner.advance({ ...replay, ...given.replay });
  return isMore ? [...did, 'more follows'] : did;
};

const sent = ['enqueued replay', 'rechecked'];

it('makes the deliveries of a page of events, and continues after it', async () => {
  const events = Array.from({ length: 30 }, (_, n) => event(n + 1));
  const page = events.slice(0, 20).map(({ position }) => position);
  expect(await advanced({ events })).toEqual([
    `planned [${page.join(' ')}] up to 20`,
    ...sent,
    'more follows',
  ]);
});

it('ends at its last position, even if no event is left', async () => {
  expect(await advanced({ events: [event(7), event(1_001)] })).toEqual([
    'planned [7] up to 1000, the last',
    ...sent,
  ]);
  expect(await advanced()).toEqual(['planned [] up to 1000, the last']);
});

it('omits what the endpoint does not want, or has received', async () => {
  const delivery: DeliveryOfEvent = {
    eventId: event(7).eventId,
    status: 'succeeded',
    replayId: null,
  };
  const unwanted: IndexedEvent = { ...event(8), type: 'payout.created' };
  expect(
    await advanced({ events: [event(7), unwanted, event(9)], deliveries: [delivery] }),
  ).toEqual(['planned [9] up to 1000, the last', ...sent]);
});

it('reads no further than the planner has planned and the index has got', async () => {
  const events = [event(7), event(9)];
  for (const behind of [{ planned: 8 }, { indexed: 8 }])
    expect(await advanced({ events, ...behind })).toEqual([
      'planned [7] up to 8',
      ...sent,
      'more follows',
    ]);
  for (const behind of [{ planned: undefined }, { indexed: 0 }])
    expect(await advanced({ events, ...behind })).toEqual([]);
});

it('makes deliveries only as far ahead as there is room, and continues after the last one', async () => {
  const events = [event(7), event(8), event(9)];
  expect(await advanced({ events, waiting: [138, 138] })).toEqual([
    'planned [7 8] up to 8',
    ...sent,
    'more follows',
  ]);
  expect(await advanced({ events, waiting: [140, 140] })).toEqual([]);
});

it('makes none while many wait for a retry', async () => {
  expect(await advanced({ events: [event(7)], waiting: [0, 1_139] })).toContain('rechecked');
  expect(await advanced({ events: [event(7)], waiting: [0, 1_140] })).toEqual([]);
});

it('waits while its endpoint is paused, and until the endpoint is known up to the request', async () => {
  expect(await advanced({ endpoint: endpointVersion({ status: 'paused' }) })).toEqual([]);
  expect(await advanced({ known: [4, 4] })).toEqual(['followed the endpoints']);
  expect(await advanced({ known: [4, 5] })).toEqual([
    'followed the endpoints',
    'planned [] up to 1000, the last',
  ]);
});

it('stops when its endpoint is gone or deleted, and cancels what it has made', async () => {
  const stopped = ['stopped', 'changed what the endpoint demands'];
  expect(await advanced({ endpoint: undefined })).toEqual(stopped);
  expect(await advanced({ endpoint: endpointVersion({ goneAt: positionOf(6) }) })).toEqual(stopped);
});

it('stops when its positions belong to another log', async () => {
  expect(await advanced({ replay: { logId: 'other' } })).toContain('stopped');
});
