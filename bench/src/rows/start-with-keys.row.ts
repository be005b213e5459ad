import { embeddedUrls } from '@refledger/engines';
import { openEventLog } from '@refledger/event-log';
import type { Bench } from '../bench.js';
import { specOf } from '../data-set/data-sets.js';
import { writeKeysAndEndpoints } from '../data-set/keys-and-endpoints.js';
import { affiliatesOf } from '../data-set/data-set-spec.js';
import { storedKeys } from '../data-set/data-set-keys.js';
import { writeDataSet } from '../data-set/write-data-set.js';
import { machineClock } from '../load/clock.js';
import type { Row } from '../row.js';
import { startService } from '../service/service.js';

const keys = 100_000;
/** A conversion has 1.7 events: ten million other events are 5,800,000 conversions. */
const conversions = {
  few: 5_800,
  many: Number(process.env['BENCH_START_CONVERSIONS'] ?? 580_000),
};

/**
 * Measures the time from the start of the process to its first response, with many keys and
 * endpoints. It must not depend on the rest of the log.
 */
export const startWithKeys: Row = {
  name: 'start-with-keys',
  title: 'start with 100,000 keys, 100,000 endpoints and many other events',
  yardstick: 'the same, with few other events',
  onlyByName: true,
  figures: [
    {
      name: 'first response',
      unit: 'ms',
      goals: [
        { of: 'figure', atMost: 5_000 },
        { of: 'ratio', atMost: 1.5 },
      ],
    },
  ],
  prepare: async (bench) => {
    const few = await directoryWith(bench, conversions.few);
    const many = await directoryWith(bench, conversions.many);
    const firstResponse = async (directory: string): Promise<number> => {
      const begin = machineClock.now();
      const service = bench.use(await startService(directory));
      await service.get('/v1/conversions');
      const ms = machineClock.now() - begin;
      await service.caughtUp();
      await service.close();
      return ms;
    };
    return {
      measure: async () => ({ 'first response': await firstResponse(many) }),
      yardstick: async () => ({ 'first response': await firstResponse(few) }),
    };
  },
};

/**
 * Makes a directory whose log has the keys and endpoints first and then `sales` conversions, with
 * its read models built.
 */
const directoryWith = async (bench: Bench, sales: number): Promise<string> => {
  const directory = await bench.directory();
  const log = bench.use(
    await openEventLog(embeddedUrls.EVENT_LOG_URL, { dataDir: directory, mode: 'write' }),
  );
  await writeKeysAndEndpoints(directory, log, bench.count(keys));
  const spec = specOf(bench.count(sales));
  const dataSetKeys = await storedKeys(directory, log, affiliatesOf(spec));
  const { events } = await writeDataSet(log, spec, undefined, dataSetKeys);
  await log.close();
  const service = bench.use(await startService(directory));
  await service.caughtUp();
  await service.close();
  bench.note(`${events} other events, ${bench.count(keys)} keys, and as many endpoints`);
  return directory;
};
