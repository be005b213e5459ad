import { request } from 'undici';
import { machineClock } from '../load/clock.js';
import type { Row } from '../row.js';
import { startService } from '../service/service.js';
import { BareFastify } from '../yardsticks/bare-fastify.js';

/**
 * Measures the time from the start of the process to the complete response to an authenticated list
 * request, on an empty directory and on one with a million conversions.
 */
export const start: Row = {
  name: 'start',
  title: 'start (built) to first response',
  yardstick: 'bare node with Fastify',
  figures: [
    { name: 'empty', unit: 'ms', goals: [{ of: 'figure', atMost: 1_500 }] },
    { name: 'at a million', unit: 'ms', goals: [{ of: 'figure', atMost: 1_500 }] },
  ],
  prepare: async (bench) => {
    const dataSet = await bench.dataSet('a million');
    const msToFirstResponse = async (directory: string): Promise<number> => {
      const begin = machineClock.now();
      const service = bench.use(await startService(directory));
      await service.get('/v1/conversions');
      const ms = machineClock.now() - begin;
      await service.close();
      return ms;
    };
    return {
      measure: async () => ({
        empty: await msToFirstResponse(await bench.directory()),
        'at a million': await msToFirstResponse(dataSet.directory),
      }),
      yardstick: async () => {
        const begin = machineClock.now();
        const bare = bench.use(await BareFastify.start());
        await (await request(`${bare.origin}/`)).body.dump();
        const ms = machineClock.now() - begin;
        await bare.close();
        return { empty: ms };
      },
    };
  },
};
