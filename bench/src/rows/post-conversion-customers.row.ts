import { LoadGenerator } from '../load/load-generator.js';
import type { NewConversions } from '../load/load-plan.js';
import { Sales } from '../load/sales.js';
import type { Row } from '../row.js';
import { startService } from '../service/service.js';
import { Shop } from '../service/shop.js';
import { closedLoopFigures } from './closed-loop-figures.js';
import { warmedUp } from './exchange-loop.js';

/**
 * Durable writes of sales that name a customer, beside sales in the same service that name none.
 * Half of them are to new customers, whose first sale appends twice.
 */
export const postConversionCustomers: Row = {
  name: 'post-conversion-customers',
  title:
    'POST /v1/conversions with customer_id, half of them new customers, 64 connections, durable',
  yardstick: 'without customer_id',
  figures: closedLoopFigures(),
  prepare: async (bench) => {
    const service = bench.use(await startService(await bench.directory()));
    const load = bench.use(new LoadGenerator());
    const shop = await Shop.open(service, bench.count(100));
    const sales = new Sales(shop.affiliateIds);

    const post = (more: Pick<NewConversions, 'nameCustomers'> = {}) =>
      warmedUp(bench, {
        load,
        server: service,
        origin: service.baseUrl,
        requests: () => sales.next(more),
        wereAnswered: (count) => sales.wereAccepted(count),
        seconds: { warmUp: 3, measured: 8 },
      });
    return {
      measure: await post({ nameCustomers: true }),
      yardstick: await post(),
      finish: () => shop.expect(sales.count, sales.amount),
    };
  },
};
