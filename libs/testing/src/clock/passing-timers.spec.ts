import { waitFor } from '../wait.js';
import { PassingTimers } from './passing-timers.js';

let passedMs = 0;
const timers = new PassingTimers(() => performance.now() + passedMs);
const pass = (ms: number): void => {
  passedMs += ms;
  timers.jumped();
};

it('ends when its time has passed, and no sooner', async () => {
  const ended: string[] = [];
  timers.set(() => ended.push('an hour'), 3_600_000);
  timers.set(() => ended.push('five minutes'), 300_000);
  timers.set(() => ended.push('now'));
  await waitFor(() => ended.length === 1);
  pass(300_000);
  await waitFor(() => ended.length === 2);
  pass(3_000_000);
  // every timer that is due ends before this one
  await new Promise<void>((resolve) => timers.set(resolve, 10));
  expect(ended).toEqual(['now', 'five minutes']);
  pass(300_000);
  await waitFor(() => ended.length === 3);
  expect(ended).toEqual(['now', 'five minutes', 'an hour']);
});

it('ends timers in the order in which they are due, after a jump', async () => {
  const ended: number[] = [];
  for (const minutes of [30, 5, 120]) timers.set(() => ended.push(minutes), minutes * 60_000);
  pass(86_400_000);
  await waitFor(() => ended.length === 3);
  expect(ended).toEqual([5, 30, 120]);
});

it('never ends a timer that was cleared', async () => {
  const ended: string[] = [];
  const timer = timers.set(() => ended.push('cleared'), 60_000);
  timers.set(() => ended.push('other'), 60_001);
  timers.clear(timer);
  timers.clear(timer);
  pass(120_000);
  await waitFor(() => ended.length === 1);
  expect(ended).toEqual(['other']);
});
