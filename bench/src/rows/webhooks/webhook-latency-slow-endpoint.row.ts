import { Receiver } from '../../receiver/receiver.js';
import type { Row } from '../../row.js';
import { startService } from '../../service/service.js';
import { webhookLatencies } from '../../measures/webhook-latency.js';
import { Webhooks } from '../../service/webhooks.js';

/**
 * A minute of webhooks to an endpoint that takes 100 ms to answer, cut into as many parts as there
 * are rounds. Meanwhile another account has a quick endpoint, and one that never answers.
 */
export const webhookLatencySlowEndpoint: Row = {
  name: 'webhook-latency-slow-endpoint',
  title: 'webhooks, 100/s to an endpoint that answers after 100 ms, 50/s to a quick one',
  figures: [
    { name: 'p95', unit: 'ms', goals: [{ of: 'figure', atMost: 250 }] },
    { name: 'p95 quick', unit: 'ms', goals: [{ of: 'figure', atMost: 20 }] },
  ],
  prepare: async (bench) => {
    const service = bench.use(await startService(await bench.directory()));
    const other = await service.newAccount();
    await Webhooks.subscribe(other, bench.use(await Receiver.start('never')), 1);
    const slow = await webhookLatencies(bench, service, 100, 100);
    const quick = await webhookLatencies(bench, other, 50);
    const during = async (seconds: number) => {
      const both = await Promise.all([slow.percentiles(seconds), quick.percentiles(seconds)]);
      const [p95, ofQuick] = both.map((percentiles) => percentiles['p95'] ?? Number.NaN);
      return { p95: p95 ?? Number.NaN, 'p95 quick': ofQuick ?? Number.NaN };
    };
    await during(bench.seconds(5));
    return {
      measure: () => during(bench.seconds(60) / bench.rounds),
      finish: async () => {
        await slow.expectAllCounted();
        await quick.expectAllCounted();
      },
    };
  },
};
