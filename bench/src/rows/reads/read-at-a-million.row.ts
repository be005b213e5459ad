import type { DataSetSize } from '../../bench.js';
import { LoadGenerator } from '../../load/load-generator.js';
import type { LoadReport } from '../../load/load-plan.js';
import type { Row } from '../../row.js';
import { apiKey } from '../../service/api.js';
import { startService } from '../../service/service.js';
import { closedLoopFigures, measureClosedLoop } from '../closed-loop-figures.js';
import type { Read } from './read.js';

/**
 * A read at a million conversions, which may take at most 1.2 times as long as the same read at ten
 * thousand.
 */
export const readAtAMillionRow = ({ name, title, targets: targetsOf }: Read): Row => ({
  name: `${name}-million`,
  title: `${title}, at a million conversions`,
  yardstick: 'at ten thousand',
  figures: closedLoopFigures(1 / 1.2),
  prepare: async (bench) => {
    const load = bench.use(new LoadGenerator());
    const reader = async (size: DataSetSize) => {
      const dataSet = await bench.dataSet(size);
      const service = bench.use(await startService(dataSet.folder));
      await service.caughtUp();
      const targets = await targetsOf(service, dataSet);
      const read = (seconds: number): Promise<LoadReport> =>
        load.run({
          origin: service.baseUrl,
          key: apiKey,
          connections: 64,
          rate: { kind: 'closed', seconds },
          requests: { kind: 'exchanges', targets },
        });
      await read(bench.seconds(2));
      return () => measureClosedLoop(bench, service, () => read(bench.seconds(5)));
    };
    const measure = await reader('a million');
    return { measure, yardstick: await reader('ten thousand') };
  },
});
