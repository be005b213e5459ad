import { setTimeout as delay } from 'node:timers/promises';
import { LoadGenerator } from '../load/load-generator.js';
import { Sales } from '../load/sales.js';
import type { Row } from '../row.js';
import { residentMb } from '../service/memory.js';
import { apiKey, startService } from '../service/service.js';
import { Shop } from '../service/shop.js';
import { BareFastify } from '../yardsticks/bare-fastify.js';

/** What the process holds after its start and half a minute of nothing to do, empty and at a million conversions; and after requests. */
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
    const idle = async (): Promise<void> => delay(bench.seconds(30) * 1_000);
    return {
      measure: async () => {
        const service = await startService(await bench.folder());
        const large = await startService(dataSet.folder);
        const load = new LoadGenerator();
        try {
          await idle();
          const figures = { idle: residentMb(service.pid), 'idle at a million': residentMb(large.pid) };
          const sales = new Sales((await Shop.open(service, 20)).affiliateIds);
          await load.run({ origin: service.baseUrl, key: apiKey, connections: 64, pace: { kind: 'closed', count: bench.count(20_000) }, requests: sales.next() });
          await service.caughtUp();
          return { ...figures, 'after 20,000 sales': residentMb(service.pid) };
        } finally {
          for (const running of [load, service, large]) await running.close();
        }
      },
      yardstick: async () => {
        const bare = await BareFastify.start();
        await delay(bench.seconds(5) * 1_000);
        const idle = residentMb(bare.pid);
        await bare.close();
        return { idle };
      },
    };
  },
};
