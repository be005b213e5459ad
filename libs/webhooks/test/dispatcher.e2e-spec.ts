import { createHmac } from 'node:crypto';
import { runInThisContext } from 'node:vm';
import { newId, publicEventId, toInstant } from '@refledger/contracts';
import { Storyteller, accountId } from '@refledger/event-bus/conformance';
import { ManualClock } from './manual-clock.js';
import { Receiver } from './receiver.js';
import { until } from './until.js';
import { Workbench, secret, type Running } from './workbench.js';

jest.setTimeout(20_000);

let bench: Workbench;
let receiver: Receiver;
let others: Receiver;
let story: Storyteller;
beforeEach(async () => {
  bench = await Workbench.open();
  receiver = await new Receiver().open();
  others = await new Receiver().open();
  story = new Storyteller(bench.log);
});
afterEach(async () => {
  await receiver.close();
  await others.close();
  await bench.close();
});

describe('a delivery', () => {
  it('comes once, as the contract has it, and signed both ways', async () => {
    const endpoint = await bench.subscribe(receiver.url('/hook'), ['affiliate.created']);
    const running = await bench.start();
    const affiliate = newId('affiliate');
    const eventId = await story.createAffiliate(affiliate, 'Ada');
    await until(async () => (await running.store.counts(endpoint)).succeeded === 1);
    const [request] = receiver.received;
    const body = JSON.parse(request!.body) as Record<string, unknown>;
    expect(Object.keys(body)).toEqual(['id', 'type', 'timestamp', 'account_id', 'position', 'data']);
    expect(body).toMatchObject({ id: publicEventId(eventId), type: 'affiliate.created', account_id: accountId, data: { id: affiliate, object: 'affiliate', name: 'Ada', revision: 0 } });
    expect(request!.headers['x-service-signature']).toBe(createHmac('sha256', secret).update(request!.body).digest('hex'));
    const signed = `${String(request!.headers['webhook-id'])}.${String(request!.headers['webhook-timestamp'])}.${request!.body}`;
    expect(request!.headers['webhook-signature']).toBe(`v1,${createHmac('sha256', Buffer.alloc(32, 7)).update(signed).digest('base64')}`);
    const [delivery] = await running.store.list({ endpointId: endpoint, limit: 10 });
    expect(request!.headers['x-service-delivery']).toBe(delivery?.id);
    expect(delivery).toMatchObject({ status: 'succeeded', attempts: [{ number: 1, outcome: 'succeeded', status: 200 }] });
    await bench.caughtUp(running);
    expect(receiver.received).toHaveLength(1);
  });

  it('is planned once, also when everything is planned again', async () => {
    const endpoint = await bench.subscribe(receiver.url('/hook'), ['affiliate.created']);
    const first = await bench.start();
    await story.createAffiliate(newId('affiliate'));
    await until(async () => (await first.store.counts(endpoint)).succeeded === 1);
    await first.store.resetPlaces([], undefined);
    await first.stop();
    const second = await bench.start();
    await story.createAffiliate(newId('affiliate'));
    await until(async () => (await second.store.counts(endpoint)).succeeded === 2);
    expect(receiver.received).toHaveLength(2);
    expect(new Set(receiver.received.map(({ headers }) => headers['webhook-id'])).size).toBe(2);
  });

  it('that a kill left between planning and sending is sent with the same bytes, its first attempt unknown', async () => {
    const endpoint = await bench.subscribe(receiver.url('/hook'), ['affiliate.created']);
    const bodies: string[] = [];
    const killed = await bench.start({ sender: { send: ({ body }) => { bodies.push(body); return new Promise(() => undefined); } } });
    await story.createAffiliate(newId('affiliate'));
    await until(() => bodies.length === 1);
    await killed.kill();
    const next = await bench.start();
    await until(async () => (await next.store.counts(endpoint)).succeeded === 1);
    expect(receiver.received.map(({ body }) => body)).toEqual(bodies);
    const [delivery] = await next.store.list({ endpointId: endpoint, limit: 10 });
    expect(delivery?.attempts.map(({ outcome }) => outcome)).toEqual(['unknown', 'succeeded']);
  });

  it('under way when the service ends is waited for', async () => {
    const endpoint = await bench.subscribe(receiver.url('/hook'), ['affiliate.created']);
    let release = (): void => undefined;
    receiver.answer('/hook', () => new Promise((resolve) => (release = () => resolve(200))));
    const running = await bench.start();
    await story.createAffiliate(newId('affiliate'));
    await until(() => receiver.received.length === 1);
    const stopping = running.stop();
    release();
    await stopping;
    const next = await bench.start({ sender: { send: () => Promise.reject(new Error('nothing is left to send')) } });
    expect(await next.store.counts(endpoint)).toMatchObject({ succeeded: 1, due: 0, started: 0 });
  });

  it('cut off at the end counts as unknown and is due again', async () => {
    const endpoint = await bench.subscribe(receiver.url('/hook'), ['affiliate.created']);
    receiver.answer('/hook', () => 'never');
    const running = await bench.start();
    await story.createAffiliate(newId('affiliate'));
    await until(() => receiver.received.length === 1);
    await running.stop();
    receiver.answer('/hook', () => 204);
    const next = await bench.start();
    await until(async () => (await next.store.counts(endpoint)).succeeded === 1);
    const [delivery] = await next.store.list({ endpointId: endpoint, limit: 1 });
    expect(delivery?.attempts.map(({ outcome }) => outcome)).toEqual(['unknown', 'succeeded']);
  });
});

it('two dispatchers on one store deliver everything, and nothing twice', async () => {
  const endpoint = await bench.subscribe(receiver.url('/hook'), ['affiliate.created']);
  const [one, two] = [await bench.start({ holder: 'one' }), await bench.start({ holder: 'two' })];
  for (let n = 0; n < 40; n++) await story.createAffiliate(newId('affiliate'));
  await until(async () => (await one.store.counts(endpoint)).succeeded === 40);
  await bench.caughtUp(one);
  await bench.caughtUp(two);
  expect(receiver.received).toHaveLength(40);
});

it('warns of nothing, however many requests are under way', async () => {
  const warnings: string[] = [];
  const hear = ({ name, message }: Error): void => void warnings.push(`${name}: ${message}`);
  // Jest hands tests a copy of `process`, which hears no warning
  const real = runInThisContext('process') as NodeJS.Process;
  real.on('warning', hear);
  for (let n = 0; n < 12; n++) await bench.subscribe(receiver.url(`/${n}`), ['affiliate.created']);
  for (let n = 0; n < 12; n++) receiver.answer(`/${n}`, () => 'never');
  await bench.start();
  await story.createAffiliate(newId('affiliate'));
  await until(() => receiver.holding === 12);
  real.off('warning', hear);
  expect(warnings).toEqual([]);
});

describe('retries', () => {
  it('follow the schedule with the same bytes each time, and end as failed', async () => {
    const clock = new ManualClock();
    const endpoint = await bench.subscribe(receiver.url('/hook'), ['affiliate.created']);
    receiver.answer('/hook', () => 500);
    const running = await bench.start({ clock, schedule: [5_000, 30_000] });
    await story.createAffiliate(newId('affiliate'));
    const attempts = async () => (await running.store.list({ endpointId: endpoint, limit: 1 }))[0]?.attempts.filter(({ outcome }) => outcome === 'failed').length;
    await until(async () => (await attempts()) === 1);
    clock.advance(4_999);
    expect((await running.store.list({ endpointId: endpoint, limit: 1 }))[0]).toMatchObject({ status: 'due', dueAt: toInstant(Date.UTC(2026, 0, 1) + 5_000) });
    clock.advance(1);
    await until(async () => (await attempts()) === 2);
    clock.advance(30_000);
    await until(async () => (await running.store.counts(endpoint)).failed === 1);
    expect(receiver.received).toHaveLength(3);
    expect(new Set(receiver.received.map(({ body }) => body)).size).toBe(1);
    expect(new Set(receiver.received.map(({ headers }) => headers['webhook-id'])).size).toBe(1);
    expect(receiver.received.map(({ headers }) => Number(headers['webhook-timestamp']) - Date.UTC(2026, 0, 1) / 1_000)).toEqual([0, 5, 35]);
    const [delivery] = await running.store.list({ endpointId: endpoint, limit: 1 });
    expect(delivery?.reason).toBe('given up after 3 failed attempts; at last: the answer was 500');
  });

  it('are as many as the schedule says, also after as many kills', async () => {
    const clock = new ManualClock();
    const endpoint = await bench.subscribe(receiver.url('/hook'), ['affiliate.created']);
    const schedule = [5_000, 30_000];
    let taken = 0;
    const hanging = { send: () => { taken++; return new Promise<never>(() => undefined); } };
    for (let kill = 0; kill <= schedule.length; kill++) {
      const killed = await bench.start({ clock, schedule, sender: hanging });
      if (kill === 0) await story.createAffiliate(newId('affiliate'));
      await until(() => taken === kill + 1);
      await killed.kill();
    }
    receiver.answer('/hook', () => 500);
    const running = await bench.start({ clock, schedule });
    for (const [index, wait] of schedule.entries()) {
      await until(async () => (await running.store.list({ endpointId: endpoint, limit: 1 }))[0]?.dueAt === toInstant(clock.now() + wait));
      expect(receiver.received).toHaveLength(index + 1);
      clock.advance(wait);
    }
    await until(async () => (await running.store.counts(endpoint)).failed === 1);
    expect(receiver.received).toHaveLength(3);
    const [delivery] = await running.store.list({ endpointId: endpoint, limit: 1 });
    expect(delivery?.attempts.map(({ outcome }) => outcome)).toEqual(['unknown', 'unknown', 'unknown', 'failed', 'failed', 'failed']);
  });

  it('honour Retry-After', async () => {
    const clock = new ManualClock();
    const endpoint = await bench.subscribe(receiver.url('/hook'), ['affiliate.created']);
    receiver.answer('/hook', () => ({ status: 503, headers: { 'retry-after': '3600' } }));
    const running = await bench.start({ clock });
    await story.createAffiliate(newId('affiliate'));
    await until(async () => (await running.store.counts(endpoint)).due === 1);
    expect((await running.store.list({ endpointId: endpoint, limit: 1 }))[0]?.dueAt).toBe(toInstant(Date.UTC(2026, 0, 1) + 3_600_000));
  });

  it('are signed with the secret as it is then', async () => {
    const clock = new ManualClock();
    await bench.subscribe(receiver.url('/hook'), ['affiliate.created']);
    receiver.answer('/hook', () => 500);
    const running = await bench.start({ clock });
    await story.createAffiliate(newId('affiliate'));
    await until(() => receiver.received.length === 1);
    await running.stop();
    const next = await bench.start({ clock, secretBox: { open: () => 'another secret of the client' } });
    await until(() => next.dispatcher.status().state === 'running');
    clock.advance(5_000);
    await until(() => receiver.received.length === 2);
    expect(receiver.received[1]?.headers['x-service-signature']).toBe(createHmac('sha256', 'another secret of the client').update(receiver.received[1]!.body).digest('hex'));
  });
});

describe('an endpoint', () => {
  it('that stops to answer delays no other, and has no more requests than its limit; one that never answered has one', async () => {
    await bench.subscribe(receiver.url('/dead'), ['affiliate.created']);
    await bench.subscribe(receiver.url('/stops'), ['affiliate.created']);
    const alive = await bench.subscribe(receiver.url('/alive'), ['affiliate.created']);
    receiver.answer('/dead', () => 'never');
    receiver.answer('/stops', () => (receiver.at('/stops').length > 1 ? 'never' : 200));
    const running = await bench.start({ timeoutMs: 60_000, limits: { perEndpoint: 4, inAll: 64 } });
    for (let n = 0; n < 50; n++) await story.createAffiliate(newId('affiliate'));
    await until(async () => (await running.store.counts(alive)).succeeded === 50);
    expect(receiver.at('/dead')).toHaveLength(1);
    expect(receiver.at('/stops')).toHaveLength(5);
    expect(receiver.holding).toBe(5);
  });

  it('that is quick gets everything while 99 others, which were quick once, keep all their requests waiting', async () => {
    let [hang, answerAll] = [false, (): void => undefined];
    const answered = new Promise<number>((resolve) => (answerAll = () => resolve(200)));
    for (let n = 0; n < 99; n++) {
      await bench.subscribe(others.url(`/${n}`), ['affiliate.created']);
      others.answer(`/${n}`, () => (hang ? answered : 200));
    }
    const quick = await bench.subscribe(receiver.url('/quick'), ['affiliate.created']);
    const running = await bench.start({ timeoutMs: 60_000, limits: { perEndpoint: 8, inAll: 64 } });
    for (let n = 1; n <= 3; n++) {
      await story.createAffiliate(newId('affiliate'));
      await until(async () => (await running.store.counts()).succeeded === n * 100);
    }
    hang = true;
    for (let n = 0; n < 15; n++) await story.createAffiliate(newId('affiliate'));
    await until(async () => (await running.store.counts(quick)).succeeded === 18);
    expect((await running.store.counts()).succeeded).toBe(300 + 15);
    answerAll();
    await until(async () => (await running.store.counts()).succeeded === 18 * 100);
  });

  it('with more waiting than its limit gets all of it', async () => {
    const endpoint = await bench.subscribe(receiver.url('/hook'), ['affiliate.created']);
    for (let n = 0; n < 60; n++) await story.createAffiliate(newId('affiliate'));
    const running = await bench.start({ limits: { perEndpoint: 3, inAll: 64 } });
    await until(async () => (await running.store.counts(endpoint)).succeeded === 60);
    expect(new Set(receiver.received.map(({ headers }) => headers['webhook-id'])).size).toBe(60);
    expect(receiver.received).toHaveLength(60);
  });

  it('that is unsubscribed has what waits cancelled, at once', async () => {
    const endpoint = await bench.subscribe(receiver.url('/hook'), ['affiliate.created']);
    receiver.answer('/hook', () => 500);
    const running = await bench.start();
    await story.createAffiliate(newId('affiliate'));
    await until(async () => (await running.store.counts(endpoint)).due === 1);
    await bench.unsubscribe(receiver.url('/hook'));
    await until(async () => (await running.store.counts(endpoint)).cancelled === 1);
    expect((await running.store.list({ endpointId: endpoint, limit: 1 }))[0]?.reason).toBe('the endpoint was unsubscribed');
  });

  it('that is unsubscribed while the service is down has what waits cancelled, also what was not planned yet', async () => {
    const endpoint = await bench.subscribe(receiver.url('/hook'), ['affiliate.created']);
    receiver.answer('/hook', () => 500);
    const first = await bench.start();
    await story.createAffiliate(newId('affiliate'));
    await until(async () => (await first.store.counts(endpoint)).due === 1);
    await first.stop();
    await story.createAffiliate(newId('affiliate'));
    await bench.unsubscribe(receiver.url('/hook'));
    const second = await bench.start();
    await until(async () => (await second.store.counts(endpoint)).cancelled === 2);
    expect(receiver.received).toHaveLength(1);
  });

  it('that answers 410 is disabled, what waits for it is cancelled, and nothing more is sent', async () => {
    const endpoint = await bench.subscribe(receiver.url('/hook'), ['affiliate.created']);
    receiver.answer('/hook', () => 410);
    for (let n = 0; n < 5; n++) await story.createAffiliate(newId('affiliate'));
    const running = await bench.start({ limits: { perEndpoint: 1, inAll: 8 } });
    await until(async () => (await running.store.counts(endpoint)).failed === 1);
    expect(await running.store.counts(endpoint)).toMatchObject({ failed: 1, cancelled: 4 });
    expect(await bench.eventsOf('webhook.disabled')).toBe(1);
    const requests = receiver.received.length;
    await story.createAffiliate(newId('affiliate'));
    await bench.caughtUp(running);
    expect(receiver.received).toHaveLength(requests);
  });

  it('that answers 410 after it was changed stays enabled, and the delivery is tried again', async () => {
    const clock = new ManualClock();
    const endpoint = await bench.subscribe(receiver.url('/hook'), ['affiliate.created']);
    receiver.answer('/hook', async () => {
      if (receiver.received.length > 1) return 200;
      await bench.subscribe(receiver.url('/hook'), ['affiliate.created', 'affiliate.updated']);
      return 410;
    });
    const running = await bench.start({ clock });
    await story.createAffiliate(newId('affiliate'));
    await until(async () => (await running.store.counts(endpoint)).due === 1);
    clock.advance(5_000);
    await until(async () => (await running.store.counts(endpoint)).succeeded === 1);
    expect(await bench.eventsOf('webhook.disabled')).toBe(0);
  });
});

describe('what an operator decides', () => {
  const stopped = (running: Running) => until(() => running.dispatcher.status().state === 'stopped');
  const delivered = async (endpointStore: Running, url: string) => {
    await until(() => receiver.at(url).length > 0);
    await bench.caughtUp(endpointStore);
    return receiver.at(url).map(({ body }) => (JSON.parse(body) as { data: { name: string } }).data.name);
  };

  it('is waited for when the store is missing; head leaves out what was before the decision', async () => {
    await bench.subscribe(receiver.url('/hook'), ['affiliate.created']);
    const first = await bench.start();
    await story.createAffiliate(newId('affiliate'), 'old');
    await until(() => receiver.received.length === 1);
    await first.stop();
    await story.createAffiliate(newId('affiliate'), 'missed');
    const second = await bench.start({ file: 'another.db' });
    await stopped(second);
    expect(bench.logged.filter(({ level }) => level === 'error')[0]?.message).toContain('ops resume webhook-dispatcher --from start|head|<position>');
    expect(receiver.received).toHaveLength(1);
    await bench.decide({ type: 'resume', from: 'head' });
    await until(() => second.dispatcher.status().state === 'running');
    await story.createAffiliate(newId('affiliate'), 'new');
    await until(() => receiver.received.length === 2);
    expect(await delivered(second, '/hook')).toEqual(['old', 'new']);
    await second.stop();
    const third = await bench.start({ file: 'another.db' });
    await until(() => third.dispatcher.status().state === 'running');
  });

  it('may be the start: everything comes again', async () => {
    await bench.subscribe(receiver.url('/hook'), ['affiliate.created']);
    const first = await bench.start();
    await story.createAffiliate(newId('affiliate'), 'one');
    await until(() => receiver.received.length === 1);
    await first.stop();
    const second = await bench.start({ file: 'another.db' });
    await stopped(second);
    await bench.decide({ type: 'resume', from: 'start' });
    await until(() => receiver.received.length === 2);
    expect(receiver.received[1]?.body).toBe(receiver.received[0]?.body);
  });

  it('may be a position: what is after it comes; one beyond the log is refused', async () => {
    await bench.subscribe(receiver.url('/hook'), ['affiliate.created']);
    const first = await bench.start();
    await story.createAffiliate(newId('affiliate'), 'one');
    await story.createAffiliate(newId('affiliate'), 'two');
    await until(() => receiver.received.length === 2);
    await first.stop();
    const { position } = JSON.parse(receiver.received[0]!.body) as { position: string };
    const second = await bench.start({ file: 'another.db' });
    await stopped(second);
    await bench.decide({ type: 'resume', from: '999999' });
    await bench.decide({ type: 'resume', from: position });
    await until(() => receiver.received.length === 3);
    expect((await delivered(second, '/hook')).at(-1)).toBe('two');
  });

  it('is waited for when the log has another event at the place, and the same store goes on', async () => {
    await bench.subscribe(receiver.url('/hook'), ['affiliate.created']);
    const first = await bench.start();
    await story.createAffiliate(newId('affiliate'), 'one');
    await until(() => receiver.received.length === 1);
    await bench.caughtUp(first);
    await first.stop();
    await bench.tearPlace();
    const second = await bench.start();
    await stopped(second);
    expect(second.dispatcher.status().reason).toContain('another event at position');
    await bench.decide({ type: 'resume', from: 'head' });
    await until(() => second.dispatcher.status().state === 'running');
    await story.createAffiliate(newId('affiliate'), 'two');
    await until(() => receiver.received.length === 2);
    expect(await delivered(second, '/hook')).toEqual(['one', 'two']);
  });

  it('a skip goes past an event that can’t be read', async () => {
    await bench.subscribe(receiver.url('/hook'), ['affiliate.created', 'affiliate.updated']);
    const running = await bench.start();
    const affiliate = newId('affiliate');
    await story.createAffiliate(affiliate, 'one');
    const eventId = await story.breakAffiliate(affiliate);
    await story.createAffiliate(newId('affiliate'), 'two');
    await stopped(running);
    expect(running.dispatcher.status().reason).toContain('ops skip webhook-dispatcher');
    await until(() => receiver.received.length === 1);
    const head = await bench.log.head();
    await bench.decide({ type: 'skip', event_id: eventId, position: head! });
    await until(() => receiver.received.length === 2);
    expect(await delivered(running, '/hook')).toEqual(['one', 'two']);
  });
});
