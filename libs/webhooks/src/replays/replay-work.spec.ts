import { newId, type AccountId } from '@refledger/contracts';
import { ManualClock } from '@refledger/webhook-endpoints/testing';
import type { Replay } from '@refledger/delivery-store';
import { ReplayWork, type ReplayWorkOptions } from './replay-work.js';

const [a, b] = [newId('account'), newId('account')];
const replayOf = (accountId: AccountId): Replay =>
  ({ id: newId('replay'), accountId }) as Partial<Replay> as Replay;
const names = ['a1', 'a2', 'b1'] as const;
const replays = [replayOf(a), replayOf(a), replayOf(b)];
const nameOf = ({ id }: Replay): string => names[replays.findIndex((one) => one.id === id)] ?? '?';

interface Given extends Partial<Pick<ReplayWorkOptions, 'planner' | 'state'>> {
  readonly store?: Partial<ReplayWorkOptions['store']>;
  /** How many steps each replay still has. */
  readonly steps?: Record<string, number>;
}

const leaseMs = 30_000;

const given = ({ store, steps = {}, ...options }: Given = {}) => {
  const did: string[] = [];
  const clock = new ManualClock();
  const work = new ReplayWork({
    store: {
      hasUnsettledReplays: () => Promise.resolve(true),
      leaseReplays: () => {
        did.push('leased');
        return Promise.resolve(true);
      },
      releaseReplays: (holder) => {
        did.push(`released by ${holder}`);
        return Promise.resolve();
      },
      runningReplays: () => Promise.resolve(replays),
      countReplays: () => Promise.resolve(),
      ...store,
    },
    planner: {
      advance: (replay) => {
        const name = nameOf(replay);
        did.push(name);
        steps[name] = (steps[name] ?? 0) - 1;
        return Promise.resolve(steps[name] >= 0);
      },
    },
    state: { maySend: true },
    newLease: () => ({ holder: 'us', now: '', leaseUntil: '' }),
    leaseMs,
    clock,
    logRetry: (what) => void did.push(`failed: ${what}`),
    ...options,
  });
  /** Lets it work until it waits, and returns what it did meanwhile. */
  const after = async (ms: number): Promise<readonly string[]> => {
    clock.advance(ms);
    for (let n = 0; n < 100; n++) await new Promise(setImmediate);
    return did.splice(0);
  };
  return { work, clock, did, after };
};

it('gives each account one step, lets the replays of an account take turns, and continues until none has work', async () => {
  const { work, after } = given({ steps: { a1: 2, a2: 1, b1: 1 } });
  work.start();
  expect(await after(0)).toEqual([
    ...['leased', 'a1', 'b1'],
    // b1 rests from here
    ...['a2', 'b1'],
    'a1',
    // a2 has no work, then a1 has none
    ...['a2', 'a1'],
  ]);
  expect(await after(499)).toEqual([]);
  expect(await after(1)).toEqual(['a2', 'a1', 'b1']);
});

it('works on none without the lease, and reads and asks again after a third of its duration', async () => {
  let isFree = false;
  const { work, did, after } = given({
    store: {
      leaseReplays: () => {
        did.push('asked');
        return Promise.resolve(isFree);
      },
      runningReplays: () => {
        did.push('read');
        return Promise.resolve(replays);
      },
    },
  });
  work.start();
  expect(await after(0)).toEqual(['read', 'asked']);
  isFree = true;
  expect(await after(leaseMs / 3 - 500)).toEqual([]);
  expect(await after(500)).toEqual(['read', 'asked', 'a1', 'a2', 'b1']);
});

it('does nothing while an operator must decide, or while nothing is unsettled', async () => {
  for (const idle of [
    given({ state: { maySend: false } }),
    given({
      store: {
        runningReplays: () => Promise.resolve([]),
        hasUnsettledReplays: () => Promise.resolve(false),
      },
    }),
  ]) {
    idle.work.start();
    expect(await idle.after(0)).toEqual([]);
  }
});

it('lets a failing replay rest, and works on the others', async () => {
  const { work, did, after } = given({
    planner: {
      advance: (replay) => {
        did.push(nameOf(replay));
        if (nameOf(replay) === 'a1') throw new Error('the index is gone');
        return Promise.resolve(false);
      },
    },
  });
  work.start();
  expect(await after(0)).toEqual(['leased', 'a1', 'failed: planning a replay', 'a2', 'b1']);
  expect(await after(500)).toEqual(['a2', 'b1']);
  expect((await after(4_500)).filter((one) => one === 'a1')).toEqual(['a1']);
});

it('tries again when the store fails', async () => {
  let fails = true;
  const { work, after } = given({
    store: {
      runningReplays: () =>
        fails ? Promise.reject(new Error('the disk is full')) : Promise.resolve(replays),
    },
  });
  work.start();
  expect(await after(0)).toEqual(['failed: working on replays']);
  fails = false;
  expect(await after(5_000)).toEqual(['leased', 'a1', 'a2', 'b1']);
});

it('counts at most once a second, and keeps working if counting fails', async () => {
  let counts = 0;
  const { work, after } = given({
    store: {
      countReplays: () => {
        counts++;
        return Promise.reject(new Error('the disk is full'));
      },
    },
    steps: { a1: 3 },
  });
  work.start();
  expect(await after(0)).toContain('failed: counting the deliveries of replays');
  expect(counts).toBe(1);
  expect(await after(500)).not.toContain('failed: counting the deliveries of replays');
  expect(await after(500)).toContain('failed: counting the deliveries of replays');
});

it('stops when it is halted, even in the middle of a turn', async () => {
  const { work, did, after } = given({
    planner: {
      advance: (replay) => {
        did.push(nameOf(replay));
        work.halt();
        return Promise.resolve(true);
      },
    },
  });
  work.start();
  expect(await after(0)).toEqual(['leased', 'a1']);
  expect(await after(60_000)).toEqual([]);
});

it('gives up the lease when it is closed, once the turn in progress has ended', async () => {
  let end = (): void => undefined;
  const { work, did, after } = given({
    planner: {
      advance: (replay) => {
        did.push(nameOf(replay));
        return new Promise((resolve) => (end = () => resolve(true)));
      },
    },
  });
  work.start();
  expect(await after(0)).toEqual(['leased', 'a1']);
  const closing = work.close();
  expect(await after(60_000)).toEqual([]);
  end();
  await closing;
  expect(await after(60_000)).toEqual(['released by us']);
});

it('gives up nothing when it is closed without the lease', async () => {
  const { work, after } = given({ store: { leaseReplays: () => Promise.resolve(false) } });
  await work.close();
  work.start();
  expect(await after(0)).toEqual([]);
  await work.close();
  expect(await after(60_000)).toEqual([]);
});

it('is closed even if the store fails, and the lease then ends by itself', async () => {
  const { work, after } = given({
    store: { releaseReplays: () => Promise.reject(new Error('the disk is full')) },
  });
  work.start();
  await after(0);
  await work.close();
  expect(await after(0)).toEqual(['failed: giving up the lease of replays']);
});
