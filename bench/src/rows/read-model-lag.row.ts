import { LoadGenerator } from '../load/load-generator.js';
import { Sales } from '../load/sales.js';
import type { Figures, Row } from '../row.js';
import { apiKey, startService } from '../service/service.js';
import { Shop } from '../service/shop.js';

/** From a write's answer to the answer of a read, of another account, that asks for that write's position: the lag and one read. */
export const readModelLag: Row = {
  name: 'read-model-lag',
  title: 'read model lag at 1,000 writes a second',
  figures: [
    { name: 'p50', unit: 'ms', goals: [] },
    { name: 'p95', unit: 'ms', goals: [] },
    { name: 'p99', unit: 'ms', goals: [{ of: 'figure', atMost: 50 }] },
  ],
  prepare: async (bench) => {
    const service = bench.use(await startService(await bench.folder()));
    const load = bench.use(new LoadGenerator());
    const shop = await Shop.open(service, 20);
    const sales = new Sales(shop.affiliateIds);
    const { api_key } = await service.post<{ api_key: string }>('/v1/accounts', { name: 'another' });

    const run = async (seconds: number): Promise<Figures> => {
      const report = await load.run({
        origin: service.baseUrl, key: apiKey, connections: 64, pace: { kind: 'constant', perSecond: 1_000, seconds },
        requests: sales.next({ readAfter: { every: 10, key: api_key, path: '/v1/conversions?limit=1' } }),
      });
      sales.wereAccepted(report.answered);
      if (report.readAfter === undefined) throw new Error('nothing was read');
      return { p50: report.readAfter.p50, p95: report.readAfter.p95, p99: report.readAfter.p99 };
    };

    await run(bench.seconds(4));
    return { measure: () => run(bench.seconds(12)), finish: () => shop.expect(sales.count, sales.amount) };
  },
};
