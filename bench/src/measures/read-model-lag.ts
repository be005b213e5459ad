import { LoadGenerator } from '../load/load-generator.js';
import { Sales } from '../load/sales.js';
import type { Bench } from '../bench.js';
import { apiKey, type Api } from '../service/api.js';
import type { AtConstantRate } from './at-constant-rate.js';
import { Shop } from '../service/shop.js';

/** About how many writes per second are followed by a read. At a lower rate, every write is. */
const readsPerSecond = 100;

/**
 * Measures the time from a write's response to the response to another account's read that asks for
 * the write's position: the lag and one read.
 */
export const readModelLags: AtConstantRate = (bench, service, perSecond) =>
  lagsOf('/v1/conversions?limit=1', bench, service, perSecond);

/** Measures the lag of what is read at `path`, as `readModelLags` does. */
export const lagsOf = async (path: string, bench: Bench, service: Api, perSecond: number) => {
  const load = bench.use(new LoadGenerator());
  const shop = await Shop.open(service, 20);
  const sales = new Sales(shop.affiliateIds);
  const { api_key } = await service.post<{ api_key: string }>('/v1/accounts', { name: 'another' });
  return {
    percentiles: async (seconds: number) => {
      const report = await load.run({
        origin: service.baseUrl,
        key: apiKey,
        connections: 64,
        rate: { kind: 'constant', perSecond, seconds },
        requests: sales.next({
          readAfter: {
            every: Math.max(1, Math.round(perSecond / readsPerSecond)),
            key: api_key,
            path,
          },
        }),
      });
      sales.wereAccepted(report.answered);
      if (report.readAfter === undefined) throw new Error('nothing was read');
      return { p50: report.readAfter.p50, p95: report.readAfter.p95, p99: report.readAfter.p99 };
    },
    expectAllCounted: () => shop.expect(sales.count, sales.amount),
    /** The sum of all sales so far, in minor units. */
    amount: () => sales.amount,
  };
};
