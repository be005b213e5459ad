import type { Bench } from '../bench.js';
import { LoadGenerator } from '../load/load-generator.js';
import type { LoadReport } from '../load/load-plan.js';
import type { Row } from '../row.js';
import { apiKey, startService } from '../service/service.js';
import { loadFigures } from './load-figures.js';
import type { Read } from './read.js';

/** A way to read at a million conversions, beside the same at ten thousand: at most 1.2 times the time. */
export const readAtAMillionRow = ({ name, title, targets: targetsOf }: Read): Row => ({
  name: `${name}-million`,
  title: `${title}, at a million conversions`,
  yardstick: 'at ten thousand',
  figures: [
    { name: 'requests', unit: '/s', goals: [{ of: 'ratio', atLeast: 1 / 1.2 }] },
    { name: 'p99', unit: 'ms', goals: [] },
  ],
  prepare: async (bench) => {
    const load = bench.use(new LoadGenerator());
    const reader = async (size: Parameters<Bench['dataSet']>[0]): Promise<(seconds: number) => Promise<LoadReport>> => {
      const dataSet = await bench.dataSet(size);
      const service = bench.use(await startService(dataSet.folder));
      await service.caughtUp();
      const targets = await targetsOf(service, dataSet);
      return (seconds) => load.run({ origin: service.baseUrl, key: apiKey, connections: 64, pace: { kind: 'closed', seconds }, requests: { kind: 'reads', targets } });
    };
    const large = await reader('a million');
    const small = await reader('ten thousand');

    await large(bench.seconds(2));
    await small(bench.seconds(2));
    return {
      measure: async () => loadFigures(bench, await large(bench.seconds(5))),
      yardstick: async () => loadFigures(bench, await small(bench.seconds(5))),
    };
  },
});
