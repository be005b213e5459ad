import type { Position } from '@refledger/contracts';
import { newMetrics } from '@refledger/platform';
import { watch } from './dispatcher-figures.js';

const none = { waiting: 0, held: 0, sending: 0, succeeded: 0, failed: 0, canceled: 0 };

it('never measures twice at the same time, however slow the store is', async () => {
  jest.useFakeTimers();
  const counting: (() => void)[] = [];
  const metrics = newMetrics();
  const stop = watch({
    dispatcher: {
      status: () => ({ state: 'running', position: '0' as Position, inFlight: 0 }),
      lag: () => Promise.resolve({ positions: 0n, seconds: 0, endpointSeconds: 7 }),
    },
    store: { counts: () => new Promise((resolve) => counting.push(() => resolve(none))) },
    metrics,
    report: () => undefined,
    onFailure: (error) => {
      throw error;
    },
  });
  await jest.advanceTimersByTimeAsync(60_000);
  expect(counting).toHaveLength(1);
  const [lag] = (await metrics.endpointsLagSeconds.get()).values;
  expect(lag?.value).toBe(7);
  counting[0]?.();
  await jest.advanceTimersByTimeAsync(21 * 60_000);
  expect(counting).toHaveLength(2);
  stop();
  counting[1]?.();
  await jest.advanceTimersByTimeAsync(21 * 60_000);
  expect(counting).toHaveLength(2);
  jest.useRealTimers();
});
