import { LoadGenerator } from '../load/load-generator.js';
import type { LoadReport, NewConversions } from '../load/load-plan.js';
import { Sales } from '../load/sales.js';
import type { Row } from '../row.js';
import { apiKey } from '../service/api.js';
import { startService } from '../service/service.js';
import { Shop } from '../service/shop.js';
import { closedLoopFigures, measureClosedLoop } from './closed-loop-figures.js';

/**
 * Durable writes of sales that name a customer, beside sales in the same service that name none. Half
 * of them are to new customers, whose first sale appends twice.
 */
export const postConversionCustomers: Row = {
  name: 'post-conversion-customers',
  title:
    'POST /v1/conversions with customer_id, half of them new customers, 64 connections, durable',
  yardstick: 'without customer_id',
  figures: closedLoopFigures(),
  prepare: async (bench) => {
    const service = bench.use(await startService(await bench.folder()));
    const load = bench.use(new LoadGenerator());
    const shop = await Shop.open(service, bench.count(100));
    const sales = new Sales(shop.affiliateIds);

    const post = async (
      seconds: number,
      more: Pick<NewConversions, 'nameCustomers'> = {},
    ): Promise<LoadReport> => {
      const report = await load.run({
        origin: service.baseUrl,
        key: apiKey,
        connections: 64,
        rate: { kind: 'closed', seconds },
        requests: sales.next(more),
      });
      sales.wereAccepted(report.answered);
      return report;
    };
    const toCustomers = { nameCustomers: true };

    await post(bench.seconds(3), toCustomers);
    await post(bench.seconds(3));
    return {
      measure: () => measureClosedLoop(bench, service, () => post(bench.seconds(8), toCustomers)),
      yardstick: () => measureClosedLoop(bench, service, () => post(bench.seconds(8))),
      finish: () => shop.expect(sales.count, sales.amount),
    };
  },
};
