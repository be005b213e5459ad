import type { Row } from '../../row.js';
import { readModelLags } from '../../measures/read-model-lag.js';
import { startService } from '../../service/service.js';

/** The lag of the embedded service's read models behind its writes. */
export const readModelLag: Row = {
  name: 'read-model-lag',
  title: 'read model lag at 1,000 writes/s',
  figures: [
    { name: 'p50', unit: 'ms', goals: [] },
    { name: 'p95', unit: 'ms', goals: [] },
    { name: 'p99', unit: 'ms', goals: [{ of: 'figure', atMost: 50 }] },
  ],
  prepare: async (bench) => {
    const service = bench.use(await startService(await bench.directory()));
    const sales = await readModelLags(bench, service, 1_000);
    await sales.percentiles(bench.seconds(4));
    return {
      measure: () => sales.percentiles(bench.seconds(12)),
      finish: () => sales.expectAllCounted(),
    };
  },
};
