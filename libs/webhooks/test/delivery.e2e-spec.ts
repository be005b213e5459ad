import { createHmac } from 'node:crypto';
import { runInThisContext } from 'node:vm';
import { newId, publicEventId } from '@refledger/contracts';
import { accountId } from '@refledger/event-bus/conformance';
import { scaledTimeout, waitFor } from '@refledger/testing';
import { present } from '@refledger/testing/present';
import { bench, newHarnessForEach, receiver, writer } from './harness.js';
import { secret } from './workbench.js';

newHarnessForEach();

describe('a delivery', () => {
  it('arrives once, as the contract specifies, with both signatures', async () => {
    const endpoint = await bench.subscribe(receiver.url('/hook'), ['affiliate.created']);
    const running = await bench.start();
    const affiliate = newId('affiliate');
    const eventId = await writer.createAffiliate(affiliate, 'Ada');
    await waitFor(async () => (await running.store.counts(endpoint)).succeeded === 1);
    const request = present(receiver.received[0]);
    const body = JSON.parse(request.body) as Record<string, unknown>;
    expect(Object.keys(body)).toEqual([
      'id',
      'type',
      'timestamp',
      'account_id',
      'position',
      'data',
    ]);
    expect(body).toMatchObject({
      id: publicEventId(eventId),
      type: 'affiliate.created',
      account_id: accountId,
      data: { id: affiliate, object: 'affiliate', name: 'Ada', revision: 0 },
    });
    expect(request.headers['x-service-signature']).toBe(
      createHmac('sha256', secret).update(request.body).digest('hex'),
    );
    const signed = `${String(request.headers['webhook-id'])}.${String(request.headers['webhook-timestamp'])}.${request.body}`;
    expect(request.headers['webhook-signature']).toBe(
      `v1,${createHmac('sha256', Buffer.alloc(32, 7)).update(signed).digest('base64')}`,
    );
    const [delivery] = await running.store.list({ endpointId: endpoint, limit: 10 });
    expect(request.headers['x-service-delivery']).toBe(delivery?.id);
    expect(delivery).toMatchObject({
      status: 'succeeded',
      attempts: [{ number: 1, outcome: 'succeeded', status: 200 }],
    });
    await bench.caughtUp(running);
    expect(receiver.received).toHaveLength(1);
  });

  it('is planned once, even if everything is planned again', async () => {
    const endpoint = await bench.subscribe(receiver.url('/hook'), ['affiliate.created']);
    const first = await bench.start();
    await writer.createAffiliate(newId('affiliate'));
    await waitFor(async () => (await first.store.counts(endpoint)).succeeded === 1);
    await first.store.resetOffsets([], undefined);
    await first.stop();
    const second = await bench.start();
    await writer.createAffiliate(newId('affiliate'));
    await waitFor(async () => (await second.store.counts(endpoint)).succeeded === 2);
    expect(receiver.received).toHaveLength(2);
    expect(new Set(receiver.received.map(({ headers }) => headers['webhook-id'])).size).toBe(2);
  });

  it('left by a kill between planning and sending is sent with the same bytes, and its first attempt is unknown', async () => {
    const endpoint = await bench.subscribe(receiver.url('/hook'), ['affiliate.created']);
    const bodies: string[] = [];
    const killed = await bench.start({
      sender: {
        send: ({ body }) => {
          bodies.push(body);
          return new Promise(() => undefined);
        },
      },
    });
    await writer.createAffiliate(newId('affiliate'));
    await waitFor(() => bodies.length === 1);
    await killed.kill();
    const next = await bench.start();
    await waitFor(async () => (await next.store.counts(endpoint)).succeeded === 1);
    expect(receiver.received.map(({ body }) => body)).toEqual(bodies);
    const [delivery] = await next.store.list({ endpointId: endpoint, limit: 10 });
    expect(delivery?.attempts.map(({ outcome }) => outcome)).toEqual(['unknown', 'succeeded']);
  });

  it('in flight during shutdown completes first', async () => {
    const endpoint = await bench.subscribe(receiver.url('/hook'), ['affiliate.created']);
    let release = (): void => undefined;
    receiver.respond('/hook', () => new Promise((resolve) => (release = () => resolve(200))));
    const running = await bench.start();
    await writer.createAffiliate(newId('affiliate'));
    await waitFor(() => receiver.received.length === 1);
    const stopping = running.stop(scaledTimeout(20_000));
    release();
    await stopping;
    const next = await bench.start({
      sender: { send: () => Promise.reject(new Error('nothing is left to send')) },
    });
    expect(await next.store.counts(endpoint)).toMatchObject({
      succeeded: 1,
      waiting: 0,
      sending: 0,
    });
  });

  it('interrupted by shutdown counts as unknown and is due again', async () => {
    const endpoint = await bench.subscribe(receiver.url('/hook'), ['affiliate.created']);
    receiver.respond('/hook', () => 'never');
    const running = await bench.start();
    await writer.createAffiliate(newId('affiliate'));
    await waitFor(() => receiver.received.length === 1);
    await running.stop();
    receiver.respond('/hook', () => 204);
    const next = await bench.start();
    await waitFor(async () => (await next.store.counts(endpoint)).succeeded === 1);
    const [delivery] = await next.store.list({ endpointId: endpoint, limit: 1 });
    expect(delivery?.attempts.map(({ outcome }) => outcome)).toEqual(['unknown', 'succeeded']);
  });
});

it('two dispatchers on one store deliver everything once', async () => {
  const endpoint = await bench.subscribe(receiver.url('/hook'), ['affiliate.created']);
  const [one, two] = [await bench.start({ holder: 'one' }), await bench.start({ holder: 'two' })];
  for (let n = 0; n < 40; n++) await writer.createAffiliate(newId('affiliate'));
  await waitFor(async () => (await one.store.counts(endpoint)).succeeded === 40);
  await bench.caughtUp(one);
  await bench.caughtUp(two);
  expect(receiver.received).toHaveLength(40);
});

it('emits no warning with many requests in flight', async () => {
  const warnings: string[] = [];
  const onWarning = ({ name, message }: Error): void => void warnings.push(`${name}: ${message}`);
  // Jest gives tests a copy of `process`, which gets no warnings
  const real = runInThisContext('process') as NodeJS.Process;
  real.on('warning', onWarning);
  for (let n = 0; n < 12; n++) await bench.subscribe(receiver.url(`/${n}`), ['affiliate.created']);
  for (let n = 0; n < 12; n++) receiver.respond(`/${n}`, () => 'never');
  await bench.start();
  await writer.createAffiliate(newId('affiliate'));
  await waitFor(() => receiver.holding === 12);
  real.off('warning', onWarning);
  expect(warnings).toEqual([]);
});
