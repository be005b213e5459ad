import { LoadGenerator } from '../../load/load-generator.js';
import { Sales } from '../../load/sales.js';
import { Receiver } from '../../receiver/receiver.js';
import type { Row } from '../../row.js';
import { startService } from '../../service/service.js';
import { Shop } from '../../service/shop.js';
import { percentilesOf } from '../../measures/webhook-latency.js';
import { Webhooks } from '../../service/webhooks.js';

const held = 10_000;

/** New webhooks to an endpoint that gets 10,000 held ones meanwhile, at the catch-up rate. */
export const webhookLatencyCatchingUp: Row = {
  name: 'webhook-latency-catching-up',
  title: 'webhooks, 50/s to an endpoint that catches up on 10,000 held ones',
  figures: [
    { name: 'p50', unit: 'ms', goals: [] },
    { name: 'p95', unit: 'ms', goals: [{ of: 'figure', atMost: 50 }] },
    { name: 'p99', unit: 'ms', goals: [] },
  ],
  prepare: async (bench) => {
    const service = bench.use(await startService(await bench.directory()));
    const receiver = bench.use(await Receiver.start());
    const load = bench.use(new LoadGenerator());
    const webhooks = await Webhooks.subscribe(service, receiver, 1);
    const { data } = await service.get<{ data: readonly { id: string }[] }>('/v1/webhooks');
    const endpoint = `/v1/webhooks/${data[0]?.id}`;
    const sales = new Sales((await Shop.open(service, 20)).affiliateIds);
    const { baseUrl: origin, key } = service;
    await service.patch(endpoint, { status: 'paused' });
    const closed = { kind: 'closed', count: bench.count(held) } as const;
    const requests = sales.next();
    sales.wereAccepted(
      (await load.run({ origin, key, connections: 64, rate: closed, requests })).answered,
    );
    await service.patch(endpoint, { status: 'enabled' });
    return {
      measure: async () => {
        const rate = { kind: 'constant', perSecond: 50, seconds: bench.seconds(20) } as const;
        const report = await load.run({
          origin,
          key,
          connections: 32,
          rate,
          requests: sales.next({ keepResponses: true }),
        });
        sales.wereAccepted(report.answered);
        const ids = report.responses.map(({ conversionId }) => conversionId);
        return percentilesOf(report, await receiver.arrivalsOf(ids));
      },
      finish: async () => {
        await service.patch(endpoint, { max_per_second: 1_000 });
        await webhooks.received(sales.count);
      },
    };
  },
};
