import { randomUUID } from 'node:crypto';
import { streamPrefix } from '@refledger/contracts';
import { embeddedUrls } from '@refledger/engines';
import { openEventLog } from '@refledger/event-log';
import { openRawClient } from '@refledger/testing/eventstoredb';
import {
  databaseUrl,
  requireServers,
  startEventStoreDb,
  type TestServer,
} from '@refledger/testing/servers';
import type { Bench } from '../../bench.js';
import { specOf } from '../../data-set/data-sets.js';
import { writeDataSet } from '../../data-set/write-data-set.js';
import { Child } from '../../process/child.js';
import { expectSums } from '../../rebuild/expect-sums.js';
import type {
  EngineAddress,
  RebuildResult,
  RebuildQuestion,
} from '../../rebuild/rebuild.process.js';
import { serverNote } from '../../report/server-note.js';
import type { Row } from '../../row.js';

/**
 * The projector's own code from EventStoreDB into an empty database, and the same events from
 * SQLite into SQLite.
 */
export const rebuildDistributed: Row = {
  name: 'rebuild-distributed',
  title: 'rebuild of all read models from EventStoreDB into MongoDB',
  yardstick: 'scanning the log with the raw client',
  isDistributed: true,
  figures: [
    { name: 'events', unit: '/s', goals: [] },
    { name: 'embedded, events', unit: '/s', goals: [] },
  ],
  prepare: async (bench) => {
    const eventLog = await started(bench, startEventStoreDb());
    const readStore = await started(bench, requireServers('MongoDB').start('MongoDB'));
    const dataDir = await bench.directory();
    const spec = specOf(bench.count(10_000));
    const write = async (url: string) =>
      writeDataSet(
        bench.use(await openEventLog(url, { dataDir, mode: 'write', deadlineMs: 60_000 })),
        spec,
      );
    const known = await write(eventLog.url);
    await write(embeddedUrls.EVENT_LOG_URL);

    const raw = bench.use(openRawClient(eventLog.url));
    const child = bench.use(
      Child.start<RebuildQuestion, RebuildResult>(
        new URL('../../rebuild/rebuild.process.js', import.meta.url),
      ),
    );
    // the log has one more event, with which it starts
    const perSecond = ({ events, seconds }: Pick<RebuildResult, 'events' | 'seconds'>): number => {
      if (events !== known.events + 1)
        throw new Error(`${events} events were handled, but there are ${known.events + 1}`);
      return events / seconds;
    };
    const rebuilt = async (log: EngineAddress, store: EngineAddress): Promise<number> => {
      const built = await child.request({ kind: 'rebuild', log, store });
      expectSums(built, known.figures);
      return perSecond(built);
    };
    const scan = async (): Promise<number> => {
      const begin = performance.now();
      return perSecond({
        events: await raw.readAll(streamPrefix),
        seconds: (performance.now() - begin) / 1_000,
      });
    };
    await scan();
    return {
      measure: async () => ({
        events: await rebuilt(
          { url: eventLog.url, dataDir },
          { url: databaseUrl(readStore.url, `bench-${randomUUID()}`), dataDir },
        ),
        'embedded, events': await rebuilt(
          { url: embeddedUrls.EVENT_LOG_URL, dataDir },
          { url: embeddedUrls.READ_STORE_URL, dataDir: await bench.directory() },
        ),
      }),
      yardstick: async () => ({ events: await scan() }),
    };
  },
};

const started = async (bench: Bench, starting: Promise<TestServer>): Promise<TestServer> => {
  const server = await starting;
  bench.use({ close: () => server.stop() });
  bench.note(serverNote(server));
  return server;
};
