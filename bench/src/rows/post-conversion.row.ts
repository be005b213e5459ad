import { LoadGenerator } from '../load/load-generator.js';
import { Sales } from '../load/sales.js';
import type { Row } from '../row.js';
import { startService } from '../service/service.js';
import { Shop } from '../service/shop.js';
import { BareFastify } from '../yardsticks/bare-fastify.js';
import { closedLoopFigures } from './closed-loop-figures.js';
import { warmedUp } from './exchange-loop.js';

/** Durable writes in a closed loop, beside a bare Fastify that responds with the same body. */
export const postConversion: Row = {
  name: 'post-conversion',
  title: 'POST /v1/conversions, 64 connections, durable',
  yardstick: 'bare Fastify POST, same body',
  figures: closedLoopFigures(0.5),
  prepare: async (bench) => {
    const service = bench.use(await startService(await bench.directory()));
    const bare = bench.use(await BareFastify.start());
    const load = bench.use(new LoadGenerator());
    const shop = await Shop.open(service, bench.count(100));
    const sales = new Sales(shop.affiliateIds);

    const loop = { load, requests: () => sales.next(), seconds: { warmUp: 3, measured: 8 } };
    return {
      measure: await warmedUp(bench, {
        ...loop,
        server: service,
        origin: service.baseUrl,
        wereAnswered: (count) => sales.wereAccepted(count),
      }),
      yardstick: await warmedUp(bench, { ...loop, server: bare, origin: bare.origin }),
      finish: () => shop.expect(sales.count, sales.amount),
    };
  },
};
