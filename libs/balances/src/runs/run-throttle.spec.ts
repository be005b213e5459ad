import { setTimeout as sleep } from 'node:timers/promises';
import { newId } from '@refledger/contracts';
import { RunThrottle } from './run-throttle.js';

jest.mock('node:timers/promises', () => ({ setTimeout: jest.fn(() => Promise.resolve()) }));

/** Work that ends when it is told to. */
const work = () => {
  let end = (): void => undefined;
  const ended = new Promise<void>((resolve) => (end = resolve));
  return { run: jest.fn(() => ended), end };
};
const othersHadTheirTurn = (): Promise<void> => new Promise((resolve) => setImmediate(resolve));

it('carries out the runs of one account one after another, and lets other accounts begin', async () => {
  const pace = new RunThrottle();
  const [own, other] = [newId('account'), newId('account')];
  const [first, second, third] = [work(), work(), work()];
  const runs = [
    pace.ofAccount(own, first.run),
    pace.ofAccount(own, second.run),
    pace.ofAccount(other, third.run),
  ];
  await othersHadTheirTurn();
  expect([first, second, third].map(({ run }) => run.mock.calls.length)).toEqual([1, 0, 1]);
  first.end();
  await runs[0];
  await othersHadTheirTurn();
  expect(second.run).toHaveBeenCalledTimes(1);
  second.end();
  third.end();
  await Promise.all(runs);
});

it('takes one page at a time, and rests half as long as the page took before the next one', async () => {
  const pace = new RunThrottle();
  const now = jest.spyOn(performance, 'now').mockReturnValue(0);
  const [first, second] = [work(), work()];
  const pages = [pace.page(first.run), pace.page(second.run)];
  await othersHadTheirTurn();
  expect(second.run).not.toHaveBeenCalled();
  now.mockReturnValue(100);
  first.end();
  await pages[0];
  await othersHadTheirTurn();
  expect(jest.mocked(sleep).mock.calls).toEqual([[50]]);
  expect(second.run).toHaveBeenCalledTimes(1);
  second.end();
  await pages[1];
  now.mockRestore();
});
