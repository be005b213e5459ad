import { LoadGenerator } from '../../load/load-generator.js';
import type { LoadReport } from '../../load/load-plan.js';
import type { Row } from '../../row.js';
import { apiKey } from '../../service/api.js';
import { startService } from '../../service/service.js';
import { BareFastify } from '../../yardsticks/bare-fastify.js';
import { closedLoopFigures, measureClosedLoop } from '../closed-loop-figures.js';
import type { Read } from './read.js';

/** A read at ten thousand conversions, beside a bare Fastify that responds with the same bytes. */
export const readRow = ({ name, title, targets: targetsOf }: Read): Row => ({
  name,
  title: `${title}, 64 connections`,
  yardstick: 'bare Fastify GET, same bytes',
  figures: closedLoopFigures(0.5),
  prepare: async (bench) => {
    const dataSet = await bench.dataSet('ten thousand');
    const service = bench.use(await startService(dataSet.folder));
    await service.caughtUp();
    const targets = await targetsOf(service, dataSet);
    const bare = bench.use(await BareFastify.start(targets));
    const load = bench.use(new LoadGenerator());
    const read = (origin: string, seconds: number): Promise<LoadReport> =>
      load.run({
        origin,
        key: apiKey,
        connections: 64,
        rate: { kind: 'closed', seconds },
        requests: { kind: 'exchanges', targets },
      });

    await read(service.baseUrl, bench.seconds(2));
    await read(bare.origin, bench.seconds(2));
    return {
      measure: () =>
        measureClosedLoop(bench, service, () => read(service.baseUrl, bench.seconds(5))),
      yardstick: () => measureClosedLoop(bench, bare, () => read(bare.origin, bench.seconds(5))),
    };
  },
});
