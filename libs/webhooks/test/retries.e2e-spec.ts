import { createHmac } from 'node:crypto';
import { newId, toInstant } from '@refledger/contracts';
import { waitFor } from '@refledger/testing';
import { ManualClock } from '@refledger/webhook-endpoints/testing';
import { present } from '@refledger/testing/present';
import { bench, newHarnessForEach, receiver, writer } from './harness.js';

newHarnessForEach();

describe('retries', () => {
  it('follow the schedule with the same bytes each time, and end as failed', async () => {
    const clock = new ManualClock();
    const endpoint = await bench.subscribe(receiver.url('/hook'), ['affiliate.created']);
    receiver.respond('/hook', () => 500);
    const running = await bench.start({ clock, schedule: [5_000, 30_000] });
    await writer.createAffiliate(newId('affiliate'));
    const attempts = async () =>
      (await running.store.list({ endpointId: endpoint, limit: 1 }))[0]?.attempts.filter(
        ({ outcome }) => outcome === 'bad_status',
      ).length;
    await waitFor(async () => (await attempts()) === 1);
    clock.advance(4_999);
    expect((await running.store.list({ endpointId: endpoint, limit: 1 }))[0]).toMatchObject({
      status: 'waiting',
      dueAt: toInstant(Date.UTC(2026, 0, 1) + 5_000),
    });
    clock.advance(1);
    await waitFor(async () => (await attempts()) === 2);
    clock.advance(30_000);
    await waitFor(async () => (await running.store.counts(endpoint)).failed === 1);
    expect(receiver.received).toHaveLength(3);
    expect(new Set(receiver.received.map(({ body }) => body)).size).toBe(1);
    expect(new Set(receiver.received.map(({ headers }) => headers['webhook-id'])).size).toBe(1);
    expect(
      receiver.received.map(
        ({ headers }) => Number(headers['webhook-timestamp']) - Date.UTC(2026, 0, 1) / 1_000,
      ),
    ).toEqual([0, 5, 35]);
    const [delivery] = await running.store.list({ endpointId: endpoint, limit: 1 });
    expect(delivery?.reason).toBe(
      'given up after 3 failed attempts; last error: the response was 500',
    );
  });

  it('follow the schedule’s number of attempts, even after kills', async () => {
    const clock = new ManualClock();
    const endpoint = await bench.subscribe(receiver.url('/hook'), ['affiliate.created']);
    const schedule = [5_000, 30_000];
    let taken = 0;
    const hanging = {
      send: () => {
        taken++;
        return new Promise<never>(() => undefined);
      },
    };
    for (let kill = 0; kill <= schedule.length; kill++) {
      const killed = await bench.start({ clock, schedule, sender: hanging });
      if (kill === 0) await writer.createAffiliate(newId('affiliate'));
      await waitFor(() => taken === kill + 1);
      await killed.kill();
    }
    receiver.respond('/hook', () => 500);
    const running = await bench.start({ clock, schedule });
    for (const [index, wait] of schedule.entries()) {
      await waitFor(
        async () =>
          (await running.store.list({ endpointId: endpoint, limit: 1 }))[0]?.dueAt ===
          toInstant(clock.now() + wait),
      );
      expect(receiver.received).toHaveLength(index + 1);
      clock.advance(wait);
    }
    await waitFor(async () => (await running.store.counts(endpoint)).failed === 1);
    expect(receiver.received).toHaveLength(3);
    const [delivery] = await running.store.list({ endpointId: endpoint, limit: 1 });
    expect(delivery?.attempts.map(({ outcome }) => outcome)).toEqual([
      'unknown',
      'unknown',
      'unknown',
      'bad_status',
      'bad_status',
      'bad_status',
    ]);
  });

  it('end after ten kills in a row during an attempt, and nothing more is sent', async () => {
    const endpoint = await bench.subscribe(receiver.url('/hook'), ['affiliate.created']);
    let taken = 0;
    const hanging = {
      send: () => {
        taken++;
        return new Promise<never>(() => undefined);
      },
    };
    for (let kill = 0; kill < 10; kill++) {
      const killed = await bench.start({ sender: hanging });
      if (kill === 0) await writer.createAffiliate(newId('affiliate'));
      await waitFor(() => taken === kill + 1);
      await killed.kill();
    }
    const running = await bench.start();
    await waitFor(async () => (await running.store.counts(endpoint)).failed === 1);
    expect(receiver.received).toEqual([]);
    expect((await running.store.list({ endpointId: endpoint, limit: 1 }))[0]).toMatchObject({
      attemptCount: 10,
      failures: 0,
      reason: 'given up after 10 attempts in a row without a known outcome',
      attempts: Array(10).fill(expect.objectContaining({ outcome: 'unknown' })) as object[],
    });
  });

  it('honour Retry-After', async () => {
    const clock = new ManualClock();
    const endpoint = await bench.subscribe(receiver.url('/hook'), ['affiliate.created']);
    receiver.respond('/hook', () => ({ status: 503, headers: { 'retry-after': '3600' } }));
    const running = await bench.start({ clock });
    await writer.createAffiliate(newId('affiliate'));
    await bench.waitForRetries(running, endpoint);
    expect((await running.store.list({ endpointId: endpoint, limit: 1 }))[0]?.dueAt).toBe(
      toInstant(Date.UTC(2026, 0, 1) + 3_600_000),
    );
  });

  it('are signed with the current secret', async () => {
    const clock = new ManualClock();
    await bench.subscribe(receiver.url('/hook'), ['affiliate.created']);
    receiver.respond('/hook', () => 500);
    const running = await bench.start({ clock });
    await writer.createAffiliate(newId('affiliate'));
    await waitFor(() => receiver.received.length === 1);
    await running.stop();
    const next = await bench.start({
      clock,
      secretBox: { open: () => 'another secret of the client' },
    });
    await waitFor(() => next.dispatcher.status().state === 'running');
    clock.advance(5_000);
    await waitFor(() => receiver.received.length === 2);
    expect(receiver.received[1]?.headers['x-service-signature']).toBe(
      createHmac('sha256', 'another secret of the client')
        .update(present(receiver.received[1]).body)
        .digest('hex'),
    );
  });
});
