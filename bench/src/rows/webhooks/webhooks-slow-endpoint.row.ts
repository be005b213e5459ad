import type { Row } from '../../row.js';
import { WebhookLoad } from '../../measures/webhook-load.js';

/** A burst of sales for one endpoint that takes 100 ms to answer each of its webhooks. */
export const webhooksSlowEndpoint: Row = {
  name: 'webhooks-slow-endpoint',
  title: 'a burst of webhooks to an endpoint that answers after 100 ms',
  figures: [{ name: 'deliveries', unit: '/s', goals: [{ of: 'figure', atLeast: 500 }] }],
  prepare: async (bench) => {
    const load = await WebhookLoad.open(bench, { endpoints: 1, afterMs: 100 });
    await load.burst(bench.count(500));
    return {
      measure: async () => ({ deliveries: (await load.burst(bench.count(2_000))).perSecond }),
    };
  },
};
