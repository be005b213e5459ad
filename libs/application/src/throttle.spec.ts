import { newId } from '@refledger/contracts';
import { Throttle } from './throttle.js';

/** Work that ends when it is told to. */
const work = () => {
  let end = (): void => undefined;
  const ended = new Promise<void>((resolve) => (end = resolve));
  return { run: jest.fn(() => ended), end };
};
const othersHadTheirTurn = (): Promise<void> => new Promise((resolve) => setImmediate(resolve));

it('does the work of one account one after another, and lets other accounts start', async () => {
  const throttle = new Throttle(1);
  const [own, other] = [newId('account'), newId('account')];
  const [first, second, third] = [work(), work(), work()];
  const all = [
    throttle.ofAccount(own, first.run),
    throttle.ofAccount(own, second.run),
    throttle.ofAccount(other, third.run),
  ];
  await othersHadTheirTurn();
  expect([first, second, third].map(({ run }) => run.mock.calls.length)).toEqual([1, 0, 1]);
  first.end();
  await all[0];
  await othersHadTheirTurn();
  expect(second.run).toHaveBeenCalledTimes(1);
  second.end();
  third.end();
  await Promise.all(all);
});

it('takes one step at a time, and rests in proportion to it before the next one', async () => {
  let now = 0;
  const sleep = jest.fn(() => Promise.resolve());
  const throttle = new Throttle(0.5, { now: () => now, sleep });
  const [first, second] = [work(), work()];
  const steps = [throttle.step(first.run), throttle.step(second.run)];
  await othersHadTheirTurn();
  expect(second.run).not.toHaveBeenCalled();
  now = 100;
  first.end();
  await steps[0];
  await othersHadTheirTurn();
  expect(sleep.mock.calls).toEqual([[50]]);
  expect(second.run).toHaveBeenCalledTimes(1);
  second.end();
  await steps[1];
});
