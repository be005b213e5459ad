import { cp } from 'node:fs/promises';
import { join } from 'node:path';
import { LoadGenerator } from '../load/load-generator.js';
import type { Requests } from '../load/load-plan.js';
import { Sales } from '../load/sales.js';
import type { Row } from '../row.js';
import { residentMb } from '../service/process-use.js';
import { apiKey } from '../service/api.js';
import { startService } from '../service/service.js';
import { Shop } from '../service/shop.js';
import { readById } from './reads/read-by-id.js';
import { readList } from './reads/read-list.js';

/** As many requests as the default rate limit allows one key in an hour. */
const hour = 360_000;

/**
 * Sends an hour's worth of requests to a copy of a million conversions, half writes and half reads,
 * in as many parts as there are rounds. Compares the memory after each part with that after the
 * first twelfth.
 */
export const memoryLong: Row = {
  name: 'memory-long',
  title: "memory after an hour's requests, a million conversions",
  yardstick: 'after a twelfth of them',
  onlyByName: true,
  figures: [{ name: 'resident', unit: 'MB', goals: [{ of: 'ratio', atMost: 1.2 }] }],
  prepare: async (bench) => {
    const dataSet = await bench.dataSet('a million');
    const directory = join(await bench.directory(), 'copy');
    await cp(dataSet.directory, directory, { recursive: true });
    const service = bench.use(await startService(directory));
    await service.caughtUp();
    // from here on, writes change lists, so only records are read while there are writes
    const targets = await readById.targets(service, dataSet);
    await readList.targets(service, dataSet);
    const shop = await Shop.open(service, 100);
    const sales = new Sales(shop.affiliateIds);
    const load = bench.use(new LoadGenerator());

    const send = (requests: Requests, count: number) =>
      load.run({
        origin: service.baseUrl,
        key: apiKey,
        connections: 64,
        rate: { kind: 'closed', count },
        requests,
      });
    const megabytesAfter = async (requests: number): Promise<number> => {
      const half = Math.ceil(requests / 2);
      sales.wereAccepted((await send(sales.next(), half)).answered);
      await send({ kind: 'exchanges', targets }, half);
      await service.caughtUp();
      return residentMb(service.pid);
    };
    const all = bench.count(hour);
    const early = await megabytesAfter(all / 12);
    return {
      measure: async () => ({ resident: await megabytesAfter((all * 11) / 12 / bench.rounds) }),
      yardstick: () => Promise.resolve({ resident: early }),
      finish: () => shop.expect(sales.count, sales.amount),
    };
  },
};
