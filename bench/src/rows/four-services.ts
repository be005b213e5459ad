import type { Row } from '../row.js';
import type { AtConstantRate } from '../service/at-constant-rate.js';
import { startFourServices } from '../service/four-services.js';
import { startService } from '../service/service.js';

export interface OfFourServices {
  readonly name: string;
  readonly title: string;
  readonly perSecond: number;
  readonly open: AtConstantRate;
}

/**
 * Makes a row that measures the four services, with the embedded service as its yardstick. While
 * one is measured, the other is idle.
 */
export const fourServicesRow = ({ name, title, perSecond, open }: OfFourServices): Row => ({
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
    const four = await open(bench, await startFourServices(bench), perSecond);
    const embedded = await open(
      bench,
      bench.use(await startService(await bench.folder())),
      perSecond,
    );
    for (const each of [four, embedded]) await each.percentiles(bench.seconds(5));
    return {
      measure: () => four.percentiles(bench.seconds(20)),
      yardstick: () => embedded.percentiles(bench.seconds(20)),
      finish: async () => {
        for (const each of [four, embedded]) await each.expectAllCounted();
      },
    };
  },
});
