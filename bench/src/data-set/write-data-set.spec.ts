import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { streams } from '@refledger/contracts';
import { conversionDecider, conversionRecord } from '@refledger/domain';
import { embeddedUrls } from '@refledger/engines';
import { loadStream, openEventLog, type EventLog } from '@refledger/event-log';
import { specOf } from './data-sets.js';
import { storedKeys } from './data-set-keys.js';
import { affiliatesOf } from './data-set-spec.js';
import { totalOf } from './known-figures.js';
import { writeDataSet } from './write-data-set.js';

describe('a data set in a log', () => {
  let directory: string;
  let log: EventLog;
  beforeEach(async () => {
    directory = await mkdtemp(join(tmpdir(), 'refledger-bench-'));
    log = await openEventLog(embeddedUrls.EVENT_LOG_URL, { dataDir: directory, mode: 'write' });
  });
  afterEach(async () => {
    await log.close();
    await rm(directory, { recursive: true, force: true });
  });

  it('is complete, and matches its known figures', async () => {
    const reported: number[] = [];
    const spec = specOf(3_000);
    const keys = await storedKeys(directory, log, affiliatesOf(spec));
    const known = await writeDataSet(log, spec, (conversions) => reported.push(conversions), keys);

    let events = -2; // not counting the log's own events: its first one, and its key store
    for await (const batch of log.readAll()) events += batch.events.length;
    expect(known.events).toBe(events);
    expect(reported.length).toBeGreaterThan(0);
    expect(
      Object.values(totalOf(known.figures))
        .flatMap((cells) => Object.values(cells))
        .reduce((sum, { count }) => sum + count, 0),
    ).toBe(3_000);
    expect(known.sample).toHaveLength(3_000);
    for (const record of known.sample.slice(0, 200))
      expect(
        conversionRecord(
          (await loadStream(log, conversionDecider, streams.conversion(record.id))).state,
        ),
      ).toEqual(record);
  });
});
