import { setTimeout as sleep } from 'node:timers/promises';
import { LoadGenerator } from '../load/load-generator.js';
import { Sales } from '../load/sales.js';
import type { Row } from '../row.js';
import { residentMb } from '../service/process-use.js';
import { apiKey } from '../service/api.js';
import { startService } from '../service/service.js';
import { Shop } from '../service/shop.js';
import { BareFastify } from '../yardsticks/bare-fastify.js';

/**
 * The memory of the process after its start and half a minute of idling, empty and at a million
 * conversions; and after requests.
 */
export const memory: Row = {
  name: 'memory',
  title: 'idle memory',
  yardstick: 'bare node with Fastify',
  figures: [
    { name: 'idle', unit: 'MB', goals: [{ of: 'figure', atMost: 150 }] },
    { name: 'idle at a million', unit: 'MB', goals: [{ of: 'figure', atMost: 150 }] },
    { name: 'after 20,000 sales', unit: 'MB', goals: [] },
  ],
  prepare: async (bench) => {
    const dataSet = await bench.dataSet('a million');
    const load = bench.use(new LoadGenerator());
    const idle = (): Promise<void> => sleep(bench.seconds(30) * 1_000);
    return {
      measure: async () => {
        const service = bench.use(await startService(await bench.directory()));
        const large = bench.use(await startService(dataSet.directory));
        await idle();
        const figures = {
          idle: residentMb(service.pid),
          'idle at a million': residentMb(large.pid),
        };
        const sales = new Sales((await Shop.open(service, 20)).affiliateIds);
        await load.run({
          origin: service.baseUrl,
          key: apiKey,
          connections: 64,
          rate: { kind: 'closed', count: bench.count(20_000) },
          requests: sales.next(),
        });
        await service.caughtUp();
        const after = residentMb(service.pid);
        await service.close();
        await large.close();
        return { ...figures, 'after 20,000 sales': after };
      },
      yardstick: async () => {
        const bare = bench.use(await BareFastify.start());
        await sleep(bench.seconds(5) * 1_000);
        const held = residentMb(bare.pid);
        await bare.close();
        return { idle: held };
      },
    };
  },
};
