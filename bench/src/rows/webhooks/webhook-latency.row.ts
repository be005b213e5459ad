import type { Row } from '../../row.js';
import { startService } from '../../service/service.js';
import { webhookLatencies } from '../../measures/webhook-latency.js';

/** The time from a write's response to its webhook, with the embedded service. */
export const webhookLatency: Row = {
  name: 'webhook-latency',
  title: 'response to a write → webhook received, 200/s',
  figures: [
    { name: 'p50', unit: 'ms', goals: [{ of: 'figure', atMost: 5 }] },
    { name: 'p95', unit: 'ms', goals: [{ of: 'figure', atMost: 20 }] },
    { name: 'p99', unit: 'ms', goals: [{ of: 'figure', atMost: 50 }] },
  ],
  prepare: async (bench) => {
    const service = bench.use(await startService(await bench.directory()));
    const sales = await webhookLatencies(bench, service, 200);
    await sales.percentiles(bench.seconds(5));
    return {
      measure: () => sales.percentiles(bench.seconds(15)),
      finish: () => sales.expectAllCounted(),
    };
  },
};
