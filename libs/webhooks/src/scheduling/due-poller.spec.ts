import { newId, toInstant, type EndpointId } from '@refledger/contracts';
import { DuePoller } from './due-poller.js';

const sending = newId('delivery');

describe('a poller', () => {
  let now: number;
  let rescheduled: number[];
  let polled: number[];
  let held: EndpointId[];
  let recover: () => Promise<number>;
  let asked: unknown;
  let regular: (() => void) | undefined;
  let hang: (() => void) | undefined;
  let expectDue: (() => void) | undefined;
  let poller: DuePoller;
  beforeEach(() => {
    now = 100_000;
    rescheduled = [];
    polled = [];
    held = [];
    recover = () => Promise.resolve(0);
    poller = new DuePoller({
      // stores nothing: the test only checks the calls
      store: {
        recover: (caller) => {
          asked = caller;
          polled.push(now);
          return recover();
        },
        reschedule: () => Promise.resolve(rescheduled.push(now)),
        endpointsDue: () => Promise.resolve([]),
        endpointsHeld: () => Promise.resolve(held),
        endpointsReplaying: () => Promise.resolve([]),
        nextDueAt: () => Promise.resolve(undefined),
      },
      holder: 'us',
      claims: { ids: [sending] },
      newLease: () => ({ holder: 'us', now: '', leaseUntil: '' }),
      leaseMs: 30_000,
      // runs nothing by itself: the test triggers each regular poll
      clock: {
        now: () => now,
        random: () => 0.5,
        schedule: (ms, task) => {
          if (ms === 10_000) regular = task;
          else if (ms === 5_000) hang = task;
          else expectDue = task;
          return () => undefined;
        },
      },
      logRetry: (_what, error) => {
        throw error;
      },
    });
  });
  const pollAt = async (time: number): Promise<void> => {
    now = time;
    regular?.();
    await settled();
  };

  /** Polls because a delivery is due at this time. */
  const dueAt = async (time: number): Promise<void> => {
    poller.expect(new Date(time).toISOString());
    now = time;
    expectDue?.();
    await settled();
  };

  it('finds held deliveries when it starts and regularly, but not when one becomes due', async () => {
    held = [newId('endpoint')];
    let found = 0;
    poller.on('found', (endpoints, from) => {
      if (from !== 'held') return;
      expect(endpoints).toEqual(held);
      found++;
    });
    poller.begin();
    await settled();
    expect(found).toBe(1);
    await dueAt(101_000);
    expect(found).toBe(1);
    await pollAt(102_000);
    expect(found).toBe(2);
    poller.halt();
  });

  it('does not recover what its own dispatcher is sending', async () => {
    poller.begin();
    await settled();
    expect(asked).toEqual({ holder: 'us', sending: [sending], now: toInstant(100_000) });
    poller.halt();
  });

  it('polls once more after a poll during which others were requested, however many', async () => {
    let finish: () => void = () => undefined;
    recover = () => new Promise((resolve) => (finish = () => resolve(0)));
    poller.begin();
    await settled();
    await dueAt(101_000);
    await dueAt(102_000);
    await pollAt(110_000);
    expect(polled).toEqual([100_000]);
    finish();
    await settled();
    expect(polled).toEqual([100_000, 110_000]);
    finish();
    await settled();
    expect(polled).toHaveLength(2);
    poller.halt();
  });

  it('continues after a poll that hangs, with at most three at once', async () => {
    const finish: (() => void)[] = [];
    recover = () => new Promise((resolve) => finish.push(() => resolve(0)));
    poller.begin();
    await settled();
    for (const time of [110_000, 120_000, 130_000]) {
      hang?.();
      await pollAt(time);
    }
    expect(polled).toEqual([100_000, 110_000, 120_000]);
    finish[1]?.();
    await settled();
    expect(polled).toEqual([100_000, 110_000, 120_000, 130_000]);
    poller.halt();
  });

  it('whose clock is set back corrects waits immediately and at the next two polls, since an earlier outcome may be written late', async () => {
    poller.begin();
    await settled();
    for (const time of [110_000, 120_000, 130_000, 140_000]) await pollAt(time);
    expect(rescheduled).toEqual([100_000, 110_000, 120_000]);

    for (const time of [50_000, 60_000, 70_000, 80_000]) await pollAt(time);
    expect(rescheduled.slice(3)).toEqual([50_000, 60_000, 70_000]);
    poller.halt();
  });
});

const settled = (): Promise<void> => new Promise((resolve) => setImmediate(resolve));
