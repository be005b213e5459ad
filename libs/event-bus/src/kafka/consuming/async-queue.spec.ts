import { AsyncQueue } from './async-queue.js';

it('counts an item as handled once the next is requested', async () => {
  const queue = new AsyncQueue<number>();
  const done: number[] = [];
  for (const item of [1, 2]) void queue.put(item).then(() => done.push(item));
  const items = queue.items();
  expect((await items.next()).value).toBe(1);
  expect(done).toEqual([]);
  expect((await items.next()).value).toBe(2);
  expect(done).toEqual([1]);
});

it('yields items put before an error, and then the error', async () => {
  const queue = new AsyncQueue<number>();
  void queue.put(1);
  queue.fail(new Error('lost'));
  const items = queue.items();
  expect((await items.next()).value).toBe(1);
  await expect(items.next()).rejects.toThrow('lost');
});

it('ends when it is closed, and leaves no waiter', async () => {
  const queue = new AsyncQueue<number>();
  const items = queue.items();
  const put = [queue.put(1), queue.put(2)];
  await items.next();
  queue.close();
  await Promise.all([...put, queue.put(3)]);
  expect(await items.next()).toMatchObject({ done: true });
  const waiting = new AsyncQueue<number>();
  const next = waiting.items().next();
  waiting.close();
  expect(await next).toMatchObject({ done: true });
});
