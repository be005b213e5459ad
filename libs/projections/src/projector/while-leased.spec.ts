import { setImmediate as yieldToEventLoop } from 'node:timers/promises';
import { whileLeased, type LeaseOptions } from './while-leased.js';

const leaseMs = 30;
const logger = { info: () => undefined, warn: () => undefined, error: () => undefined };

/** A store with one lease, which a test can take away or make unreachable. */
const storeWith = (state: { holder?: string; away?: boolean }) => ({
  holdLease: ({ holder }: { holder: string }) =>
    state.away
      ? Promise.reject(new Error('away'))
      : Promise.resolve((state.holder ??= holder) === holder),
  releaseLease: ({ holder }: { holder: string }) => {
    if (state.holder === holder) delete state.holder;
    return Promise.resolve();
  },
});

const start = (
  state: { holder?: string; away?: boolean },
  { store = storeWith(state), monotonic }: Pick<Partial<LeaseOptions>, 'store' | 'monotonic'> = {},
) => {
  const seen: string[] = [];
  const stop = new AbortController();
  const work = async (signal: AbortSignal): Promise<void> => {
    seen.push('works');
    while (!signal.aborted) await yieldToEventLoop();
    seen.push('ends');
  };
  const ended = whileLeased(
    {
      store,
      name: 'work',
      holder: 'me',
      leaseMs,
      logger,
      onStandBy: (standingBy) =>
        standingBy && seen.at(-1) !== 'stands by' && seen.push('stands by'),
      ...(monotonic && { monotonic }),
    },
    work,
    stop.signal,
  );
  return {
    seen,
    until: async (last: string) => {
      while (seen.at(-1) !== last) await yieldToEventLoop();
    },
    stop: () => (stop.abort(), ended),
  };
};

it('works while it holds the lease, and releases it at the end', async () => {
  const state = {};
  const worker = start(state);
  await worker.until('works');
  expect(state).toEqual({ holder: 'me' });
  await worker.stop();
  expect([worker.seen, state]).toEqual([['works', 'ends'], {}]);
});

it('renews the lease before it expires, and works on', async () => {
  let now = 0;
  let requests = 0;
  const store = storeWith({});
  const worker = start(
    {},
    {
      store: { ...store, holdLease: (lease) => (requests++, store.holdLease(lease)) },
      // a lease lasts for six looks at this clock
      monotonic: () => (now += leaseMs / 6),
    },
  );
  while (requests < 8) await yieldToEventLoop();
  expect(worker.seen).toEqual(['works']);
  await worker.stop();
});

it('stands by while another holder works, and takes over', async () => {
  const state: { holder?: string } = { holder: 'another' };
  const worker = start(state);
  await worker.until('stands by');
  delete state.holder;
  await worker.until('works');
  await worker.stop();
});

it('stops when another holder has the lease, and resumes when that one is gone', async () => {
  const state: { holder?: string } = {};
  const worker = start(state);
  await worker.until('works');
  state.holder = 'another';
  await worker.until('stands by');
  delete state.holder;
  await worker.until('works');
  await worker.stop();
  expect(worker.seen).toEqual(['works', 'ends', 'stands by', 'works', 'ends']);
});

it('stops when the store is unavailable for longer than the lease', async () => {
  const state: { away?: boolean } = {};
  const worker = start(state);
  await worker.until('works');
  state.away = true;
  await worker.until('ends');
  state.away = false;
  await worker.until('works');
  await worker.stop();
});
