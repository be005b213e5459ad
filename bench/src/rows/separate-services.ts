import type { Row } from '../row.js';
import type { AtConstantRate } from '../measures/at-constant-rate.js';
import { startSeparateServices } from '../measures/separate-services.js';
import { startService } from '../service/service.js';

export interface SeparateServicesRowOptions {
  readonly name: string;
  readonly title: string;
  readonly perSecond: number;
  readonly open: AtConstantRate;
}

/**
 * Makes a row that measures the five services, with the embedded service as its yardstick. While
 * one is measured, the other is idle.
 */
export const separateServicesRow = ({
  name,
  title,
  perSecond,
  open,
}: SeparateServicesRowOptions): Row => ({
  name,
  title,
  yardstick: 'the embedded service at the same rate',
  isDistributed: true,
  figures: (['p50', 'p95', 'p99'] as const).map((percentile) => ({
    name: percentile,
    unit: 'ms',
    goals: [],
  })),
  prepare: async (bench) => {
    const separate = await open(bench, await startSeparateServices(bench), perSecond);
    const embedded = await open(
      bench,
      bench.use(await startService(await bench.directory())),
      perSecond,
    );
    for (const each of [separate, embedded]) await each.percentiles(bench.seconds(5));
    return {
      measure: () => separate.percentiles(bench.seconds(20)),
      yardstick: () => embedded.percentiles(bench.seconds(20)),
      finish: async () => {
        for (const each of [separate, embedded]) await each.expectAllCounted();
      },
    };
  },
});
