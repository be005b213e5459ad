import { percentileOf } from '../figures/noise.js';
import { LoadGenerator } from '../load/load-generator.js';
import { Sales } from '../load/sales.js';
import { Receiver } from '../receiver/receiver.js';
import type { Figures, Row } from '../row.js';
import { apiKey, startService } from '../service/service.js';
import { Shop } from '../service/shop.js';
import { Webhooks } from '../service/webhooks.js';

/** From a write's answer having come in whole at the client to its webhook having come in whole at the receiver; negative when that was first. */
export const webhookLatency: Row = {
  name: 'webhook-latency',
  title: 'write answered → webhook received, 200 a second',
  figures: [
    { name: 'p50', unit: 'ms', goals: [{ of: 'figure', atMost: 5 }] },
    { name: 'p95', unit: 'ms', goals: [{ of: 'figure', atMost: 20 }] },
    { name: 'p99', unit: 'ms', goals: [{ of: 'figure', atMost: 50 }] },
  ],
  prepare: async (bench) => {
    const service = bench.use(await startService(await bench.folder()));
    const receiver = bench.use(await Receiver.start());
    const load = bench.use(new LoadGenerator());
    const webhooks = await Webhooks.subscribe(service, receiver, 1);
    const shop = await Shop.open(service, 20);
    const sales = new Sales(shop.affiliateIds);

    const run = async (seconds: number): Promise<Figures> => {
      await receiver.forget();
      const report = await load.run({ origin: service.baseUrl, key: apiKey, connections: 32, pace: { kind: 'constant', perSecond: 200, seconds }, requests: sales.next({ keepAnswers: true }) });
      sales.wereAccepted(report.answered);
      const { arrivals } = await webhooks.received(report.answered);
      const latencies = report.answers.map(({ conversionId, at }) => (arrivals.get(conversionId) ?? Number.NaN) - at);
      return { p50: percentileOf(latencies, 50), p95: percentileOf(latencies, 95), p99: percentileOf(latencies, 99) };
    };

    await run(bench.seconds(5));
    return { measure: () => run(bench.seconds(15)), finish: () => shop.expect(sales.count, sales.amount) };
  },
};
