import { Handover } from './handover.js';

it('counts an item as dealt with once the next is asked for', async () => {
  const handover = new Handover<number>();
  const done: number[] = [];
  for (const item of [1, 2]) void handover.put(item).then(() => done.push(item));
  const items = handover.items();
  expect((await items.next()).value).toBe(1);
  expect(done).toEqual([]);
  expect((await items.next()).value).toBe(2);
  expect(done).toEqual([1]);
});

it('hands over what was put before an error, and then the error', async () => {
  const handover = new Handover<number>();
  void handover.put(1);
  handover.fail(new Error('lost'));
  const items = handover.items();
  expect((await items.next()).value).toBe(1);
  await expect(items.next()).rejects.toThrow('lost');
});

it('ends when it is closed, and leaves nobody waiting', async () => {
  const handover = new Handover<number>();
  const items = handover.items();
  const put = [handover.put(1), handover.put(2)];
  await items.next();
  handover.close();
  await Promise.all([...put, handover.put(3)]);
  expect(await items.next()).toMatchObject({ done: true });
  const waiting = new Handover<number>();
  const next = waiting.items().next();
  waiting.close();
  expect(await next).toMatchObject({ done: true });
});
