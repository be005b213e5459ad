import { setImmediate as yieldToEventLoop } from 'node:timers/promises';
import { inOrder } from './in-order.js';

async function* itemsOf<T>(...items: readonly T[]): AsyncGenerator<T> {
  for (const item of items) yield await Promise.resolve(item);
}

/** Items whose results the test decides. */
const setUp = (maxInFlight: number) => {
  const gone = new AbortController();
  const finish = new Map<number, () => void>();
  const begun: number[] = [];
  const written: number[] = [];
  const run = (items: AsyncIterable<number>) =>
    inOrder(items, {
      maxInFlight,
      signal: gone.signal,
      start: (item) => {
        begun.push(item);
        return new Promise<number>((resolve) => finish.set(item, () => resolve(item)));
      },
      write: (item) => Promise.resolve(void written.push(item)),
    });
  const settle = async (): Promise<void> => {
    for (let n = 0; n < 20; n++) await yieldToEventLoop();
  };
  return {
    gone,
    begun,
    written,
    run,
    settle,
    finish: async (...items: readonly number[]): Promise<void> => {
      for (const item of items) finish.get(item)?.();
      await settle();
    },
  };
};

it('writes the results in the order of the items, as soon as it can', async () => {
  const { run, finish, written, settle } = setUp(8);
  const running = run(itemsOf(1, 2, 3));
  await settle();
  await finish(3);
  expect(written).toEqual([]);
  await finish(1);
  expect(written).toEqual([1]);
  await finish(2);
  await running;
  expect(written).toEqual([1, 2, 3]);
});

it('starts the next item once the oldest result is written', async () => {
  const { run, finish, begun, settle } = setUp(2);
  const running = run(itemsOf(1, 2, 3));
  await settle();
  await finish(2);
  expect(begun).toEqual([1, 2]);
  await finish(1);
  expect(begun).toEqual([1, 2, 3]);
  await finish(3);
  await running;
});

it('starts no further item once it is aborted, and waits for those in flight', async () => {
  const { run, finish, begun, written, settle, gone } = setUp(2);
  const running = run(itemsOf(1, 2, 3, 4));
  await settle();
  gone.abort();
  await finish(1, 2);
  await running;
  expect([begun, written]).toEqual([
    [1, 2],
    [1, 2],
  ]);
});

it('fails when reading the items does, after the results of those before', async () => {
  const { run, finish, written, settle } = setUp(8);
  async function* broken(): AsyncGenerator<number> {
    yield* itemsOf(1, 2);
    throw new Error('cut');
  }
  const running = run(broken());
  running.catch(() => undefined);
  await settle();
  await finish(2, 1);
  await expect(running).rejects.toThrow('cut');
  expect(written).toEqual([1, 2]);
});

it('fails when a result cannot be written', async () => {
  const begun: number[] = [];
  const running = inOrder(itemsOf(1, 2, 3, 4, 5), {
    maxInFlight: 2,
    signal: new AbortController().signal,
    start: (item) => Promise.resolve(begun.push(item)),
    write: () => Promise.reject(new Error('full')),
  });
  await expect(running).rejects.toThrow('full');
  expect(begun.length).toBeLessThan(5);
});
