import { waitFor } from '@refledger/testing';
import { ManualClock } from '@refledger/webhook-endpoints/testing';
import { startRetention } from './retention.js';

it('removes expired deliveries and replays in steps, at the start and every hour, until it stops', async () => {
  const clock = new ManualClock(10 * 3_600_000);
  const asked: string[] = [];
  const left = [100, 100, 7];
  const replays: string[] = [];
  const end = startRetention({
    store: {
      expire: (before) => {
        asked.push(before);
        return Promise.resolve(left.shift() ?? 0);
      },
      expireReplays: (before) => Promise.resolve(replays.push(before) === 1 ? 100 : 0),
      removeStatistics: () => Promise.resolve(0),
    },
    clock,
    keepMs: 3_600_000,
    logRetry: (_what, error) => {
      throw error;
    },
  });
  await waitFor(() => asked.length === 3 && clock.waiting === 1);
  expect(new Set(asked)).toEqual(new Set(['1970-01-01T09:00:00.000Z']));
  expect(replays).toEqual([asked[0], asked[0]]);
  clock.advance(3_600_000);
  await waitFor(() => asked.length === 4 && clock.waiting === 1);
  expect(asked[3]).toBe('1970-01-01T10:00:00.000Z');
  end();
  expect(clock.waiting).toBe(0);
});

it('removes the points that no period shows any longer, in steps', async () => {
  const clock = new ManualClock(Date.UTC(2026, 1, 1, 12));
  const asked: string[] = [];
  const left = [100, 100, 7, 100, 0];
  const end = startRetention({
    store: {
      expire: () => Promise.resolve(0),
      expireReplays: () => Promise.resolve(0),
      removeStatistics: (period, before, limit) => {
        asked.push(`${limit} of ${period} before ${before}`);
        return Promise.resolve(left.shift() ?? 0);
      },
    },
    clock,
    keepMs: 3_600_000,
    logRetry: (_what, error) => {
      throw error;
    },
  });
  await waitFor(() => clock.waiting === 1);
  end();
  expect(asked).toEqual([
    ...Array<string>(3).fill('100 of 1h before 2026-02-01T10:59:00.000Z'),
    ...Array<string>(2).fill('100 of 24h before 2026-01-31T11:00:00.000Z'),
    '100 of 7d before 2026-01-25T06:00:00.000Z',
    '100 of 30d before 2026-01-01T12:00:00.000Z',
  ]);
});
