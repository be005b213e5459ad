import { LoadGenerator } from '../load/load-generator.js';
import type { LoadReport } from '../load/load-plan.js';
import { Sales } from '../load/sales.js';
import type { Row } from '../row.js';
import { apiKey } from '../service/api.js';
import { startService } from '../service/service.js';
import { Shop } from '../service/shop.js';
import { BareFastify } from '../yardsticks/bare-fastify.js';
import { closedLoopFigures, measureClosedLoop } from './closed-loop-figures.js';

/** Durable writes in a closed loop, beside a bare Fastify that responds with the same body. */
export const postConversion: Row = {
  name: 'post-conversion',
  title: 'POST /v1/conversions, 64 connections, durable',
  yardstick: 'bare Fastify POST, same body',
  figures: closedLoopFigures(0.5),
  prepare: async (bench) => {
    const service = bench.use(await startService(await bench.folder()));
    const bare = bench.use(await BareFastify.start());
    const load = bench.use(new LoadGenerator());
    const shop = await Shop.open(service, bench.count(100));
    const sales = new Sales(shop.affiliateIds);

    const post = (origin: string, seconds: number): Promise<LoadReport> =>
      load.run({
        origin,
        key: apiKey,
        connections: 64,
        rate: { kind: 'closed', seconds },
        requests: sales.next(),
      });
    const postToService = async (seconds: number): Promise<LoadReport> => {
      const report = await post(service.baseUrl, seconds);
      sales.wereAccepted(report.answered);
      return report;
    };

    await postToService(bench.seconds(3));
    await post(bare.origin, bench.seconds(3));
    return {
      measure: () => measureClosedLoop(bench, service, () => postToService(bench.seconds(8))),
      yardstick: () => measureClosedLoop(bench, bare, () => post(bare.origin, bench.seconds(8))),
      finish: () => shop.expect(sales.count, sales.amount),
    };
  },
};
