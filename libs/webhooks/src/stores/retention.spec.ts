import { until } from '@refledger/testing';
import { ManualClock } from '../../test/manual-clock.js';
import { startRetention } from './retention.js';

it('removes expired deliveries in steps, at the start and every hour, until it stops', async () => {
  const clock = new ManualClock(10 * 3_600_000);
  const asked: string[] = [];
  const left = [100, 100, 7];
  const end = startRetention({
    store: {
      expire: (before) => {
        asked.push(before);
        return Promise.resolve(left.shift() ?? 0);
      },
    },
    clock,
    keepMs: 3_600_000,
    logRetry: (_what, error) => {
      throw error;
    },
  });
  await until(() => asked.length === 3 && clock.waiting === 1);
  expect(new Set(asked)).toEqual(new Set(['1970-01-01T09:00:00.000Z']));
  clock.advance(3_600_000);
  await until(() => asked.length === 4 && clock.waiting === 1);
  expect(asked[3]).toBe('1970-01-01T10:00:00.000Z');
  end();
  expect(clock.waiting).toBe(0);
});
