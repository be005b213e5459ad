import type { Bench } from '../bench.js';
import { percentileOf } from '../figures/spread.js';
import { LoadGenerator } from '../load/load-generator.js';
import type { LoadReport } from '../load/load-plan.js';
import { Sales } from '../load/sales.js';
import { Receiver } from '../receiver/receiver.js';
import type { Figures } from '../row.js';
import type { Api } from '../service/api.js';
import type { AtConstantRate } from './at-constant-rate.js';
import { Shop } from '../service/shop.js';
import { Webhooks } from '../service/webhooks.js';

/**
 * Measures the time from when the client has a write's complete response to when the receiver has
 * its complete webhook; negative if the webhook arrived first. Throws when a webhook is lost,
 * arrives twice or has a wrong signature. The receiver answers after `afterMs` milliseconds.
 */
export const webhookLatencies = async (
  bench: Bench,
  service: Api,
  perSecond: number,
  afterMs = 0,
): ReturnType<AtConstantRate> => {
  const receiver = bench.use(await Receiver.start(afterMs));
  const load = bench.use(new LoadGenerator());
  const webhooks = await Webhooks.subscribe(service, receiver, 1);
  const shop = await Shop.open(service, 20);
  const sales = new Sales(shop.affiliateIds);
  return {
    percentiles: async (seconds) => {
      await receiver.forget();
      const report = await load.run({
        origin: service.baseUrl,
        key: service.key,
        connections: 32,
        rate: { kind: 'constant', perSecond, seconds },
        requests: sales.next({ keepResponses: true }),
      });
      sales.wereAccepted(report.answered);
      const { arrivals } = await webhooks.received(report.answered);
      return percentilesOf(report, arrivals);
    },
    expectAllCounted: () => shop.expect(sales.count, sales.amount),
  };
};

/** The percentiles of the times between responses to writes and the arrivals of their webhooks. */
export const percentilesOf = (
  { responses }: Pick<LoadReport, 'responses'>,
  arrivals: ReadonlyMap<string, number>,
): Figures => {
  const latencies = responses.map(
    ({ conversionId, at }) => (arrivals.get(conversionId) ?? Number.NaN) - at,
  );
  return {
    p50: percentileOf(latencies, 50),
    p95: percentileOf(latencies, 95),
    p99: percentileOf(latencies, 99),
  };
};
