import type { Position } from '@refledger/contracts';
import { LogHead } from './log-head.js';

const at = (position: number): Position => String(position) as Position;

describe('the head of the log', () => {
  let head: number | Error;
  let looks: number;
  const log = (isHeadLatest: boolean) => ({
    isHeadLatest,
    head: () => {
      looks += 1;
      return head instanceof Error ? Promise.reject(head) : Promise.resolve(at(head));
    },
  });
  beforeEach(() => void ([head, looks] = [5, 0]));

  it('says at once that a position is beyond it, where that can be told', async () => {
    const certain = new LogHead(log(true));
    expect([await certain.isBefore(at(5)), await certain.isBefore(at(6))]).toEqual([false, true]);
    head = 6;
    expect(await certain.isBefore(at(6))).toBe(false);
    expect(await new LogHead(log(false)).isBefore(at(7))).toBe(false);
  });

  it('is looked at once for all that wait, and not again for what was seen', async () => {
    const shared = new LogHead(log(false));
    const waiting = [3, 4, 5, 6, 7].map((position) => shared.reached(at(position), 60_000));
    expect(await Promise.all(waiting.slice(0, 3))).toEqual([true, true, true]);
    expect(looks).toBe(1);
    head = 7;
    expect(await Promise.all(waiting)).toEqual([true, true, true, true, true]);
    const before = looks;
    expect(await shared.reached(at(7), 0)).toBe(true);
    expect([looks, shared.hasSeen(at(7))]).toEqual([before, true]);
  });

  it('gives up after its time', async () => {
    expect(await new LogHead(log(false)).reached(at(6), 0)).toBe(false);
  });

  it('fails all that wait when the log fails, and goes on after it', async () => {
    const shared = new LogHead(log(false));
    head = new Error('away');
    const waiting = [shared.reached(at(1), 60_000), shared.reached(at(2), 60_000)];
    for (const each of await Promise.allSettled(waiting))
      expect(each).toMatchObject({ status: 'rejected', reason: head });
    head = 2;
    expect(await shared.reached(at(2), 60_000)).toBe(true);
  });
});
