import { mkdir, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { embeddedUrls } from '@refledger/engines';
import { openEventLog } from '@refledger/event-log';
import type { Bench } from '../../bench.js';
import { storedKeys } from '../../data-set/data-set-keys.js';
import { affiliatesOf, type DataSetSpec } from '../../data-set/data-set-spec.js';
import { specOf } from '../../data-set/data-sets.js';
import { writeDataSet, type KnownDataSet } from '../../data-set/write-data-set.js';
import { Child } from '../../process/child.js';
import { expectSums } from '../../rebuild/expect-sums.js';
import type { Rebuild, RebuildQuestion, RebuildResult } from '../../rebuild/rebuild.process.js';
import type { Row } from '../../row.js';

const affiliates = Number(process.env['BENCH_SEARCH_AFFILIATES'] ?? 100_000);
const conversionsPerAffiliate = 10;

/** What the search terms of affiliates cost, beside the read models that open no personal value. */
export const rebuildSearch: Row = {
  name: 'rebuild-search',
  title: 'rebuild with affiliate_search, 100,000 affiliates and a million conversions',
  yardstick: 'without affiliate_search',
  onlyByName: true,
  figures: [{ name: 'events', unit: '/s', goals: [] }],
  prepare: async (bench) => {
    const directory = await bench.directory();
    const spec = newSpec(bench.count(affiliates));
    const known = await write(bench, directory, spec);
    const child = bench.use(
      Child.start<RebuildQuestion, RebuildResult>(
        new URL('../../rebuild/rebuild.process.js', import.meta.url),
      ),
    );
    const log = { url: embeddedUrls.EVENT_LOG_URL, dataDir: directory };
    const rebuild = async (search?: Rebuild['search']): Promise<{ events: number }> => {
      const dataDir = join(directory, 'read-models');
      await mkdir(dataDir);
      const store = { url: embeddedUrls.READ_STORE_URL, dataDir };
      const rebuilt = await child.request({ kind: 'rebuild', log, store, search });
      await rm(dataDir, { recursive: true });
      expectSums(rebuilt, known.figures);
      if (rebuilt.searchable !== (search === undefined ? 0 : spec.affiliates))
        throw new Error(`${rebuilt.searchable} affiliates can be searched for`);
      return { events: known.events / rebuilt.seconds };
    };
    const search = { url: embeddedUrls.KEY_STORE_URL, dataDir: directory };
    return { measure: () => rebuild(search), yardstick: () => rebuild() };
  },
};

const newSpec = (count: number): DataSetSpec => ({
  ...specOf(count * conversionsPerAffiliate),
  affiliates: count,
});

/** Writes the log, and the keys that its personal values are sealed with. */
const write = async (bench: Bench, directory: string, spec: DataSetSpec): Promise<KnownDataSet> => {
  const log = bench.use(
    await openEventLog(embeddedUrls.EVENT_LOG_URL, { dataDir: directory, mode: 'write' }),
  );
  const keys = await storedKeys(directory, log, affiliatesOf(spec));
  const known = await writeDataSet(log, spec, undefined, keys);
  await log.close();
  return known;
};
