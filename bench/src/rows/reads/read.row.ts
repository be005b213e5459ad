import type { Row } from '../../row.js';
import { startService } from '../../service/service.js';
import { closedLoopFigures } from '../closed-loop-figures.js';
import { besideBareFastify } from '../exchange-loop.js';
import type { ReadKind } from './read.js';

/**
 * A read at ten thousand conversions, beside a bare Fastify that responds with the same bytes.
 * `ratio` is the goal for the responses per second, if there is one.
 */
export const readRow = ({ name, title, targets: targetsOf }: ReadKind, ratio?: number): Row => ({
  name,
  title: `${title}, 64 connections`,
  yardstick: 'bare Fastify GET, same bytes',
  figures: closedLoopFigures(ratio),
  prepare: async (bench) => {
    const dataSet = await bench.dataSet('ten thousand');
    const service = bench.use(await startService(dataSet.directory));
    await service.caughtUp();
    return besideBareFastify(bench, service, await targetsOf(service, dataSet));
  },
});
