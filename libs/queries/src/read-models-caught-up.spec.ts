import { toPosition } from '@refledger/contracts';
import type { EventLog } from '@refledger/event-log';
import { projections } from '@refledger/projections';
import type { ReadStore } from '@refledger/read-store';
import { readModelsCaughtUp } from './read-models-caught-up.js';

/** Test double: a log with events, of which it knows only the head. */
const log = { id: 'log one', head: () => Promise.resolve(toPosition('7')) } as unknown as EventLog;

/**
 * Test double: a store whose read models reach the head at the `round`-th attempt. It has no data.
 */
const reachedIn = (round: number) => {
  const asked: string[] = [];
  let atOnce = 0;
  const store = {
    waitForPosition: async ({ name }: { name: string }) => {
      expect(++atOnce).toBe(1);
      await new Promise(setImmediate);
      atOnce--;
      asked.push(name);
      return asked.filter((each) => each === name).length >= round;
    },
  } as unknown as ReadStore;
  return { store, asked };
};

const onFailure = (error: Error): void => {
  throw error;
};

it('waits for the read models one at a time, and asks again until each has reached the head', async () => {
  const { store, asked } = reachedIn(2);
  const { signal } = new AbortController();
  expect(await readModelsCaughtUp({ log, store, signal, onFailure })).toBe(true);
  expect([...new Set(asked)].sort()).toEqual(projections.map(({ name }) => name).sort());
});

it('gives up when the gateway ends', async () => {
  const { store } = reachedIn(1);
  const signal = AbortSignal.abort();
  expect(await readModelsCaughtUp({ log, store, signal, onFailure })).toBe(false);
});
