import { waitFor } from '@refledger/testing';
import {
  a,
  begin,
  inFlight,
  newSchedulerForEach,
  paused,
  plan,
  requests,
  respondToOne,
  scheduler,
  store,
} from '../../test/scheduler-bench.js';

newSchedulerForEach();

describe('held deliveries', () => {
  it('are sent once their endpoint is enabled, those of the earliest events first', async () => {
    paused.add(a);
    const held = await plan(a, 3, 'held');
    begin({ perEndpoint: 1, total: 8 });
    scheduler.enqueue([a], 'held');
    await new Promise(setImmediate);
    expect(requests).toEqual([]);
    paused.delete(a);
    scheduler.enqueue([a], 'held');
    for (const { id } of held) {
      await waitFor(() => inFlight(a) > 0);
      expect(requests.map((request) => request.id)).toEqual([id]);
      respondToOne(a);
    }
    await waitFor(async () => (await store.counts(a)).succeeded === 3);
  });

  it('are found by a poll', async () => {
    await plan(a, 1, 'held');
    begin();
    await waitFor(() => inFlight(a) === 1);
  });

  it('go after those that wait, which take none of their tokens', async () => {
    await plan(a, 30, 'held');
    const [first] = await plan(a, 1);
    begin({ perEndpoint: 1, total: 8 });
    await waitFor(() => inFlight(a) === 1);
    expect(requests[0]?.id).toBe(first?.id);
    respondToOne(a);
    await waitFor(() => inFlight(a) === 1);
    const later = await plan(a, 5);
    scheduler.enqueue([a]);
    for (let n = 0; n < 5; n++) {
      respondToOne(a);
      await waitFor(() => inFlight(a) === 1);
    }
    expect(later.map(({ id }) => id)).toContain(requests[0]?.id);
  });

  it('are held again when they are not sent before the scheduler halts', async () => {
    await plan(a, 10, 'held');
    begin({ perEndpoint: 1, total: 8 });
    await waitFor(() => inFlight(a) === 1);
    respondToOne(a);
    // a claim has prefetched some
    await waitFor(() => inFlight(a) === 1);
    scheduler.halt();
    respondToOne(a);
    await scheduler.settled();
    const { held, waiting, succeeded } = await store.counts(a);
    expect([held + succeeded, waiting]).toEqual([10, 0]);
  });
});
