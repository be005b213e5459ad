import { newId, type EndpointId, type Position, type ReplayId } from '@refledger/contracts';
import { accountId } from '@refledger/event-bus/conformance';
import { waitFor } from '@refledger/testing';
import type { EventIndex } from '../src/replays/event-index.js';
import type { Replay, RequestedReplay } from '@refledger/delivery-store';
import { bench, newHarnessForEach, receiver, writer } from './harness.js';
import { ManualClock } from '@refledger/webhook-endpoints/testing';
import type { Running } from './workbench.js';

newHarnessForEach();

const subscribe = (path = '/hook'): Promise<EndpointId> =>
  bench.subscribe(receiver.url(path), ['affiliate.created', 'affiliate.updated']);
const happen = async (count: number): Promise<readonly string[]> => {
  const names = Array.from({ length: count }, () => newId('event'));
  for (const name of names) await writer.createAffiliate(newId('affiliate'), name);
  return names;
};
const bodiesAt = (path: string): readonly string[] =>
  receiver.requestsTo(path).map(({ body }) => body);
const namesAt = (path: string): readonly string[] =>
  bodiesAt(path).map((body) => (JSON.parse(body) as Body).data.name);
interface Body {
  readonly data: { readonly name: string };
}

const begin = async (
  { store }: Running,
  endpointId: EndpointId,
  over: Partial<RequestedReplay> = {},
): Promise<ReplayId> => {
  const head = (await bench.log.head()) as Position;
  const { replay } = await store.beginReplay({
    id: newId('replay'),
    accountId,
    endpointId,
    logId: bench.log.id,
    since: '0' as Position,
    until: head,
    types: null,
    only: 'missing',
    decidedAt: head,
    createdAt: new Date().toISOString(),
    ...over,
  });
  return replay.id;
};
const replayUntil = ({ store }: Running, id: ReplayId, wanted: Partial<Replay>): Promise<unknown> =>
  waitFor(async () => {
    const replay = await store.replay(id);
    return Object.entries(wanted).every(([key, value]) => replay?.[key as 'status'] === value);
  });
const settled = (running: Running, id: ReplayId): Promise<unknown> =>
  replayUntil(running, id, { isSettled: true });

it('sends an endpoint all that happened before it existed, oldest first, with the same bytes', async () => {
  await subscribe('/before');
  const names = await happen(8);
  const running = await bench.start({ limits: { perEndpoint: 1, total: 8 } });
  await waitFor(() => receiver.requestsTo('/before').length === 8);
  const endpoint = await subscribe();
  const id = await begin(running, endpoint);
  await settled(running, id);
  expect(namesAt('/hook')).toEqual(names);
  expect([...bodiesAt('/hook')].sort()).toEqual([...bodiesAt('/before')].sort());
  expect(await running.store.replay(id)).toMatchObject({
    status: 'finished',
    planned: 8,
    succeeded: 8,
    failed: 0,
  });
  const again = await begin(running, endpoint);
  await settled(running, again);
  expect(await running.store.replay(again)).toMatchObject({ planned: 0 });
  const all = await begin(running, endpoint, { only: 'all' });
  await settled(running, all);
  expect(await running.store.replay(all)).toMatchObject({ planned: 8, succeeded: 8 });
});

it('sends only the kinds and positions that it names', async () => {
  await happen(2);
  const since = (await bench.log.head()) as Position;
  const affiliate = newId('affiliate');
  await writer.createAffiliate(affiliate, 'first');
  await writer.renameAffiliate(affiliate, 'second');
  const end = (await bench.log.head()) as Position;
  await happen(1);
  const endpoint = await subscribe();
  const running = await bench.start();
  const of = { since, until: end, types: ['affiliate.updated'] as const };
  await settled(running, await begin(running, endpoint, of));
  expect(namesAt('/hook')).toEqual(['second']);
  await settled(running, await begin(running, endpoint, { ...of, types: null }));
  expect(namesAt('/hook')).toEqual(['second', 'first']);
});

it('sends again what failed', async () => {
  const endpoint = await subscribe();
  let requests = 0;
  receiver.respond('/hook', () => (++requests === 1 ? 500 : 200));
  const running = await bench.start({ schedule: [] });
  await happen(2);
  await waitFor(async () => (await running.store.counts(endpoint)).succeeded === 1);
  await waitFor(async () => (await running.store.counts(endpoint)).failed === 1);
  await bench.caughtUp(running);
  await settled(running, await begin(running, endpoint, { only: 'failed' }));
  const names = namesAt('/hook');
  expect([names.length, new Set(names).size]).toEqual([3, 2]);
});

it('waits while its endpoint is paused, and stops when it is deleted', async () => {
  await happen(3);
  const endpoint = await subscribe();
  await bench.update(endpoint, { status: 'paused' });
  const running = await bench.start();
  await bench.caughtUp(running);
  const id = await begin(running, endpoint);
  const other = await subscribe('/other');
  await settled(running, await begin(running, other));
  expect(await running.store.replay(id)).toMatchObject({ status: 'running', planned: 0 });
  await bench.update(endpoint, { status: 'enabled' });
  await settled(running, id);
  expect(receiver.requestsTo('/hook')).toHaveLength(3);
  await bench.update(endpoint, { status: 'paused' });
  const last = await begin(running, endpoint, { only: 'all' });
  await bench.unsubscribe(receiver.url('/hook'));
  await replayUntil(running, last, { status: 'stopped' });
});

it('stops on another log, however far its own log had got', async () => {
  await happen(1);
  const endpoint = await subscribe();
  const running = await bench.start();
  const far = { decidedAt: '9000' as Position };
  const id = await begin(running, endpoint, { logId: 'another', ...far });
  await settled(running, id);
  expect(await running.store.replay(id)).toMatchObject({ status: 'stopped', planned: 0 });
});

it('is ahead of what is sent by a few seconds only, and new events never wait behind it', async () => {
  const clock = new ManualClock(Date.now());
  await happen(400);
  const endpoint = await subscribe();
  const running = await bench.start({ clock });
  await bench.caughtUp(running);
  await begin(running, endpoint);
  // more than may be sent with the tokens that it has by then
  await waitFor(async () => {
    clock.advance(10);
    return (await running.store.countReplaying(endpoint, 1_000)) > 60;
  });
  // from now on the clock stands still, so that no more tokens come
  expect(await running.store.countReplaying(endpoint, 1_000)).toBeLessThanOrEqual(140);
  const [name] = await happen(1);
  await waitFor(() => namesAt('/hook').includes(name ?? ''));
  expect(await running.store.countReplaying(endpoint, 1_000)).toBeGreaterThan(0);
  await running.stop();
});

it('continues after a kill, and makes no delivery twice', async () => {
  const names = await happen(300);
  const endpoint = await bench.subscribe(receiver.url('/hook'), ['affiliate.created']);
  await bench.endpoints(accountId, {
    type: 'update',
    endpoint_id: endpoint,
    patch: { max_per_second: 1_000 },
  });
  let running = await bench.start();
  const id = await begin(running, endpoint);
  for (const count of [20, 150]) {
    await waitFor(() => receiver.requestsTo('/hook').length >= count);
    await running.kill();
    running = await bench.start();
  }
  await settled(running, id);
  expect([...new Set(namesAt('/hook'))].sort()).toEqual([...names].sort());
  expect(await running.store.replay(id)).toMatchObject({ planned: 300, succeeded: 300 });
  expect(await running.store.counts(endpoint)).toMatchObject({ succeeded: 300 });
});

it('takes turns with the other replays of its account', async () => {
  await happen(300);
  const [one, two] = [await subscribe('/one'), await subscribe('/two')];
  // time passes only for their turns, not for what they send
  const clock = new ManualClock(Date.now());
  const running = await bench.start({ clock });
  const [first, second] = [await begin(running, one), await begin(running, two)];
  for (const id of [first, second])
    await waitFor(async () => {
      clock.advance(50);
      return ((await running.store.replay(id))?.planned ?? 0) > 0;
    });
  for (const id of [first, second])
    expect((await running.store.replay(id))?.status).toBe('running');
});

it('does not wait for another replay whose position the log has not reached', async () => {
  await happen(3);
  const [lost, endpoint] = [await subscribe('/lost'), await subscribe()];
  const running = await bench.start();
  await begin(running, lost, { decidedAt: '9000' as Position });
  const id = await begin(running, endpoint);
  await settled(running, id);
  expect(await running.store.replay(id)).toMatchObject({ succeeded: 3 });
});

it('leaves nothing behind when its endpoint is deleted while it plans', async () => {
  await happen(3);
  const endpoint = await subscribe();
  let isReading = false;
  let goOn: () => void = () => undefined;
  const events: EventIndex = {
    read: async (range) => {
      isReading = true;
      await new Promise<void>((resolve) => (goOn = resolve));
      return bench.events.read(range);
    },
  };
  const running = await bench.start({ events });
  await bench.caughtUp(running);
  const id = await begin(running, endpoint);
  await waitFor(() => isReading);
  await bench.unsubscribe(receiver.url('/hook'));
  // planning an event follows the endpoints up to it
  await happen(1);
  await bench.caughtUp(running);
  goOn();
  await waitFor(async () => (await running.store.counts(endpoint)).canceled === 3);
  await replayUntil(running, id, { isSettled: true });
  expect(receiver.received).toEqual([]);
});

it('does not wait for other replays of its account whose endpoints are paused', async () => {
  await happen(5);
  const endpoints = await Promise.all(
    Array.from({ length: 20 }, (_, n) => subscribe(`/paused-${n}`)),
  );
  for (const endpoint of endpoints) await bench.update(endpoint, { status: 'paused' });
  const enabled = await subscribe();
  const clock = new ManualClock(Date.now());
  const running = await bench.start({ clock });
  await bench.caughtUp(running);
  // its first looks at replays and at requests are over, so the next ones come after these begin
  await waitFor(() => clock.dueIn(500) === 2);
  for (const endpoint of endpoints) await begin(running, endpoint);
  const id = await begin(running, enabled);
  // time for one look at the replays
  clock.advance(500);
  await replayUntil(running, id, { status: 'finished', planned: 5 });
});
