import { newId, type EndpointId, type Position } from '@refledger/contracts';
import type { LogBatch } from '@refledger/event-log';
import { endpointVersion } from '@refledger/webhook-endpoints/testing';
import { EndpointTracker, type EndpointTrackerOptions } from './endpoint-tracker.js';
import type { DeliveriesChange, EndpointVersion } from '@refledger/webhook-endpoints';

const [account, endpoint] = [newId('account'), newId('endpoint')];
const unsubscribed: DeliveriesChange = {
  to: 'canceled',
  decidedBelow: '100' as Position,
  reason: 'the endpoint was unsubscribed',
};

interface Given extends Partial<Omit<EndpointTrackerOptions, 'directory'>> {
  readonly directory?: Partial<EndpointTrackerOptions['directory']>;
}

const given = ({ directory, ...options }: Given = {}, withWork: readonly EndpointId[] = []) => {
  const did: string[] = [];
  const ended = [{ account, endpoint, change: unsubscribed }];
  const written: (() => void)[] = [];
  const tracker = new EndpointTracker({
    directory: {
      followTo: () => Promise.resolve(),
      async *changes() {
        yield await Promise.resolve({} as LogBatch);
      },
      apply: () => undefined,
      takeChanged: () => ended.splice(0),
      takeRestarted: () => [],
      deliveriesChangesOf: (id) => (id === endpoint ? [unsubscribed] : []),
      latest: () => undefined,
      ...directory,
    },
    store: {
      endpointsUnfinished: () => Promise.resolve(withWork),
      holdRetries: (id, now) => Promise.resolve(did.push(`retries ${id} at ${now}`)),
      unholdReplays: (id) => Promise.resolve(void did.push(`unheld the replays of ${id}`)),
      hold: (id, below) => Promise.resolve(did.push(`held ${id} below ${below}`)),
      cancel: (id, { decidedBelow, reason }) =>
        new Promise((resolve) => {
          did.push(`canceled ${id} below ${decidedBelow}: ${reason}`);
          written.push(() => resolve(1));
        }),
    },
    clock: { now: () => 0 },
    state: { maySend: true },
    memories: [{ forget: (id) => void did.push(`forgot ${id}`) }],
    logRetry: (what) => void did.push(`failed: ${what}`),
    ...options,
  });
  return { tracker, did, written };
};

it('cancels the deliveries of an endpoint that is unsubscribed while it is followed, once, while planning continues', async () => {
  const { tracker, did, written } = given();
  await tracker.follow(new AbortController().signal);
  await new Promise(setImmediate);
  expect(did).toEqual([
    `forgot ${endpoint}`,
    `canceled ${endpoint} below 100: the endpoint was unsubscribed`,
  ]);
  await tracker.followTo();
  expect(written).toHaveLength(1);
  for (const resolve of written) resolve();
  await new Promise(setImmediate);
  expect(did).toHaveLength(2);
});

it('cancels what waits for disabled or unsubscribed endpoints, below the position of that change', async () => {
  const { tracker, did, written } = given({}, [newId('endpoint'), endpoint]);
  const canceling = tracker.changeAll();
  await new Promise(setImmediate);
  for (const resolve of written) resolve();
  await canceling;
  expect(did).toEqual([`canceled ${endpoint} below 100: the endpoint was unsubscribed`]);
});

it('cancels nothing while an operator must decide', async () => {
  const { tracker, did } = given({ state: { maySend: false } });
  await tracker.followTo();
  expect(did).toEqual([`forgot ${endpoint}`]);
});

it('continues if canceling fails, since each delivery is canceled at its next attempt', async () => {
  const fails = () => Promise.reject(new Error('the disk is full'));
  const { tracker, did } = given({
    store: {
      endpointsUnfinished: fails,
      hold: fails,
      unholdReplays: fails,
      holdRetries: fails,
      cancel: fails,
    },
  });
  await tracker.followTo();
  await new Promise(setImmediate);
  await tracker.changeAll();
  expect(did).toEqual([
    `forgot ${endpoint}`,
    'failed: holding or canceling deliveries',
    'failed: holding or canceling deliveries',
  ]);
});

it('holds, drops and sends in the order of the log, and sends only if the endpoint is enabled now', async () => {
  const decidedBelow = '7' as Position;
  const changes: DeliveriesChange[] = [
    { to: 'held', decidedBelow },
    { to: 'canceled', decidedBelow, reason: 'dropped', trigger: 'event' },
    { to: 'send' },
  ];
  for (const status of ['enabled', 'paused'] as const) {
    const { tracker, did, written } = given({
      directory: {
        takeChanged: () => changes.map((change) => ({ account, endpoint, change })),
        latest: () => endpointVersion({ status }),
      },
    });
    tracker.on('enabled', (id) => void did.push(`sends ${id}`));
    await tracker.followTo();
    await new Promise(setImmediate);
    for (const resolve of written) resolve();
    await new Promise(setImmediate);
    expect(did).toEqual([
      `held ${endpoint} below 7`,
      `canceled ${endpoint} below 7: dropped`,
      ...(status === 'enabled' ? [`unheld the replays of ${endpoint}`, `sends ${endpoint}`] : []),
    ]);
  }
});

it('changes the endpoints of an account one after another, and waits for no other account', async () => {
  const all = [account, account, newId('account')].map((of) => ({
    account: of,
    endpoint: newId('endpoint'),
    change: unsubscribed,
  }));
  const { tracker, written } = given({ directory: { takeChanged: () => all.splice(0) } });
  await tracker.followTo();
  await new Promise(setImmediate);
  expect(written).toHaveLength(2);
  written[0]?.();
  await new Promise(setImmediate);
  expect(written).toHaveLength(3);
});

it('retries at once what waits, when an endpoint has recovered', async () => {
  const { tracker, did } = given({
    directory: {
      takeChanged: () => [{ account, endpoint, change: { to: 'retry' } }],
      latest: () => endpointVersion(),
    },
  });
  tracker.on('enabled', (id) => void did.push(`sends ${id}`));
  await tracker.followTo();
  await new Promise(setImmediate);
  expect(did).toEqual([
    `retries ${endpoint} at 1970-01-01T00:00:00.000Z`,
    `unheld the replays of ${endpoint}`,
    `sends ${endpoint}`,
  ]);
});

describe('deliveries that were stored while their endpoint changed', () => {
  const held: DeliveriesChange = { to: 'held', decidedBelow: '9' as Position };
  const [trigger, decidedAt] = ['event' as const, '7' as Position];
  const stored = [{ endpointId: endpoint, trigger, decidedAt }];
  const givenLatest = (latest: EndpointVersion | undefined) =>
    given({ directory: { latest: () => latest, deliveriesChangesOf: () => [held] } });

  it.each([
    ['waiting', 'enabled', endpointVersion(), false],
    ['waiting', 'paused', endpointVersion({ status: 'paused' }), true],
    ['waiting', 'deleted', undefined, true],
    ['held', 'enabled', endpointVersion(), false],
    ['held', 'paused', endpointVersion({ status: 'paused' }), false],
    ['held', 'deleted', undefined, true],
    ['held', 'gone', endpointVersion({ status: 'disabled', goneAt: '8' as Position }), true],
  ] as const)('as %s: %s', async (status, _, latest, isChanged) => {
    const { tracker, did } = givenLatest(latest);
    await tracker.recheck([...stored, ...stored], status);
    expect(did).toEqual(isChanged ? [`held ${endpoint} below 9`] : []);
  });

  it.each([
    ['enabled', endpointVersion(), false],
    ['enabled after it was gone', endpointVersion({ goneAt: '8' as Position }), false],
    ['disabled as failing', endpointVersion({ status: 'disabled' }), false],
    ['gone', endpointVersion({ status: 'disabled', goneAt: '8' as Position }), true],
    ['deleted', undefined, true],
  ] as const)('are found later, if it is %s', async (_, latest, isChanged) => {
    const { tracker, did } = givenLatest(latest);
    await tracker.cancelLeft([endpoint]);
    expect(did).toEqual(isChanged ? [`held ${endpoint} below 9`] : []);
  });
});

it('tells for which endpoints a series of failed attempts ended', async () => {
  const { tracker, did } = given({
    directory: { takeChanged: () => [], takeRestarted: () => [endpoint] },
  });
  tracker.on('restarted', (id) => void did.push(`restarted ${id}`));
  await tracker.followTo();
  expect(did).toEqual([`restarted ${endpoint}`]);
});
