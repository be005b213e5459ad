import { LatencyRecorder } from './latency.js';

it('returns percentiles in milliseconds', () => {
  const recorder = new LatencyRecorder();
  for (let n = 1; n <= 1_000; n++) recorder.record(n / 10);

  const { p50, p95, p99, max } = recorder.latency;

  expect(recorder.count).toBe(1_000);
  expect([p50, p95, p99, max].map((ms) => Math.round(ms))).toEqual([50, 95, 99, 100]);
});
