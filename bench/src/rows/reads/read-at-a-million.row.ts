import type { DataSetSize } from '../../bench.js';
import { LoadGenerator } from '../../load/load-generator.js';
import type { Row } from '../../row.js';
import { startService } from '../../service/service.js';
import { closedLoopFigures } from '../closed-loop-figures.js';
import { warmedUp } from '../exchange-loop.js';
import type { ReadKind } from './read.js';

/**
 * A read at a million conversions, which may take at most 1.2 times as long as the same read at ten
 * thousand.
 */
export const readAtAMillionRow = ({ name, title, targets: targetsOf }: ReadKind): Row => ({
  name: `${name}-million`,
  title: `${title}, at a million conversions`,
  yardstick: 'at ten thousand',
  figures: closedLoopFigures(1 / 1.2),
  prepare: async (bench) => {
    const load = bench.use(new LoadGenerator());
    const reader = async (size: DataSetSize) => {
      const dataSet = await bench.dataSet(size);
      const service = bench.use(await startService(dataSet.directory));
      await service.caughtUp();
      const targets = await targetsOf(service, dataSet);
      return warmedUp(bench, {
        load,
        server: service,
        origin: service.baseUrl,
        requests: () => ({ kind: 'exchanges', targets }),
      });
    };
    const measure = await reader('a million');
    return { measure, yardstick: await reader('ten thousand') };
  },
});
