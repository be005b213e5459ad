import { DuePoller } from './due-poller.js';

describe('a poller whose clock is put back', () => {
  let now: number;
  let anew: number[];
  let regular: (() => void) | undefined;
  let poller: DuePoller;
  beforeEach(() => {
    now = 100_000;
    anew = [];
    poller = new DuePoller({
      // stores nothing: the test only checks the calls
      store: {
        recover: () => Promise.resolve(0),
        reschedule: () => Promise.resolve(anew.push(now)),
        endpointsWithWork: () => Promise.resolve([]),
        nextDueAt: () => Promise.resolve(undefined),
      },
      claims: { renew: () => Promise.resolve() },
      leases: { newLease: () => ({ holder: 'us', now: '', leaseUntil: '' }) },
      leaseMs: 30_000,
      // runs nothing by itself: the test triggers each regular look
      clock: {
        now: () => now,
        random: () => 0.5,
        after: (_ms, task) => ((regular = task), () => undefined),
      },
      retryLog: {
        failed: (_what, error) => {
          throw error;
        },
      },
    });
  });
  const lookAt = async (time: number): Promise<void> => {
    now = time;
    regular?.();
    await settled();
  };

  it('puts waits right at once and at the next two regular looks, since an outcome from before may be written after the first', async () => {
    poller.begin();
    await settled();
    for (const time of [110_000, 120_000, 130_000, 140_000]) await lookAt(time);
    expect(anew).toEqual([100_000, 110_000, 120_000]);

    for (const time of [50_000, 60_000, 70_000, 80_000]) await lookAt(time);
    expect(anew.slice(3)).toEqual([50_000, 60_000, 70_000]);
    poller.halt();
  });
});

const settled = (): Promise<void> => new Promise((resolve) => setImmediate(resolve));
