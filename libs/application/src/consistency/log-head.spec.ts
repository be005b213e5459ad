import type { Position } from '@refledger/contracts';
import { LogHead } from './log-head.js';

const positionOf = (position: number): Position => String(position) as Position;

describe('the head of the log', () => {
  let head: number | Error;
  let polls: number;
  const log = (isHeadLatest: boolean) => ({
    isHeadLatest,
    head: () => {
      polls += 1;
      return head instanceof Error ? Promise.reject(head) : Promise.resolve(positionOf(head));
    },
  });
  beforeEach(() => void ([head, polls] = [5, 0]));

  it('rejects a position beyond it immediately, if the log knows its end', async () => {
    const certain = new LogHead(log(true));
    expect([await certain.isBefore(positionOf(5)), await certain.isBefore(positionOf(6))]).toEqual([
      false,
      true,
    ]);
    head = 6;
    expect(await certain.isBefore(positionOf(6))).toBe(false);
    expect(await new LogHead(log(false)).isBefore(positionOf(7))).toBe(false);
  });

  it('is read once for all waiting requests, and not again for a known position', async () => {
    const shared = new LogHead(log(false));
    const waiting = [3, 4, 5, 6, 7].map((position) =>
      shared.waitForPosition(positionOf(position), 60_000),
    );
    expect(await Promise.all(waiting.slice(0, 3))).toEqual([true, true, true]);
    expect(polls).toBe(1);
    head = 7;
    expect(await Promise.all(waiting)).toEqual([true, true, true, true, true]);
    const before = polls;
    expect(await shared.waitForPosition(positionOf(7), 0)).toBe(true);
    expect([polls, shared.hasSeen(positionOf(7))]).toEqual([before, true]);
  });

  it('gives up after its timeout', async () => {
    expect(await new LogHead(log(false)).waitForPosition(positionOf(6), 0)).toBe(false);
  });

  it('fails all waiting requests when the log fails, and recovers', async () => {
    const shared = new LogHead(log(false));
    head = new Error('away');
    const waiting = [
      shared.waitForPosition(positionOf(1), 60_000),
      shared.waitForPosition(positionOf(2), 60_000),
    ];
    for (const each of await Promise.allSettled(waiting))
      expect(each).toMatchObject({ status: 'rejected', reason: head });
    head = 2;
    expect(await shared.waitForPosition(positionOf(2), 60_000)).toBe(true);
  });
});
