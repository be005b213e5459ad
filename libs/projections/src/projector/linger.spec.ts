import { eventually } from '@refledger/testing';
import type { LoggedEvent } from '@refledger/event-log';
import { Linger, lingerLimits } from './linger.js';

it.each([
  [0, 100, 0, 0],
  [1, 100, 2, 2],
  [2, 100, 4, 4],
  [3, 100, 5, 5],
  // One, two, four and eight thousand events per second.
  [6, 6, 5, 5],
  [12, 6, 5, 5],
  [24, 6, 5, 15],
  [48, 6, 5, 20],
  [999, 100, 5, 20],
  [1000, 100, 0, 0],
])('after %i events within %i ms lingers for %i to %i ms', (events, withinMs, leastMs, maxMs) => {
  expect(lingerLimits(events, withinMs)).toEqual({ leastMs, maxMs });
});

describe('a linger', () => {
  const batch = (count: number) => ({ events: Array<LoggedEvent>(count) });
  const demanded = () => {
    const waits: { readonly since: number; readonly timeoutMs: number }[] = [];
    const waiterSignal = {
      count: 0,
      waits,
      wait: (options: { readonly since: number; readonly timeoutMs: number }) =>
        Promise.resolve(waits.push(options)),
    };
    let now = 0;
    return { waiterSignal, rest: new Linger(waiterSignal, () => (now += 6)) };
  };

  it('ends when a reader waits', async () => {
    const { waiterSignal, rest } = demanded();

    await rest.after(batch(48));
    waiterSignal.count = 7;
    await rest.after(batch(48));
    await rest.after(batch(48));

    expect(waiterSignal.waits).toEqual([0, 0, 7].map((since) => ({ since, timeoutMs: 15 })));
  });

  it('is minimal when events arrive slowly, and absent after a full batch', async () => {
    const { waiterSignal, rest } = demanded();

    await rest.after(batch(6));
    await rest.after(batch(1000));

    expect(waiterSignal.waits).toEqual([]);
  });

  it('is minimal if waiting readers are not visible', async () => {
    const rest = new Linger(undefined, () => 0);
    let lingered = false;
    void rest.after(batch(999)).then(() => (lingered = true));

    await eventually(() => expect(lingered).toBe(true));
  });
});
