import { randomUUID } from 'node:crypto';
import { join } from 'node:path';
import { streamPrefix } from '@refledger/contracts';
import { openEventStoreDbEventLog } from '@refledger/event-log/eventstoredb';
import { openSqliteEventLog } from '@refledger/event-log/sqlite';
import { openRawClient } from '@refledger/testing/eventstoredb';
import {
  databaseUrl,
  requireServers,
  startEventStoreDb,
  type TestServer,
} from '@refledger/testing/servers';
import type { Bench } from '../bench.js';
import { specOf } from '../data-set/data-sets.js';
import { writeDataSet } from '../data-set/write-data-set.js';
import { Child } from '../process/child.js';
import type { LogPlace, StorePlace } from '../rebuild/engines.js';
import { expectSums } from '../rebuild/expect-sums.js';
import type { Rebuilt, RebuildQuestion } from '../rebuild/rebuild.process.js';
import { serverNote } from '../report/server-note.js';
import type { Row } from '../row.js';

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
    const folder = await bench.folder();
    const file = join(folder, 'events.db');
    const spec = specOf(bench.count(10_000));
    const known = await writeDataSet(
      bench.use(await openEventStoreDbEventLog({ url: eventLog.url, deadlineMs: 60_000 })),
      spec,
      () => undefined,
    );
    await writeDataSet(
      bench.use(await openSqliteEventLog({ file, mode: 'write' })),
      spec,
      () => undefined,
    );

    const raw = bench.use(openRawClient(eventLog.url));
    const child = bench.use(
      Child.start<RebuildQuestion, Rebuilt>(
        new URL('../rebuild/rebuild.process.js', import.meta.url),
      ),
    );
    // the log has one more event, with which it begins
    const perSecond = ({ events, seconds }: Pick<Rebuilt, 'events' | 'seconds'>): number => {
      if (events !== known.events + 1)
        throw new Error(`${events} events were handled, there are ${known.events + 1}`);
      return events / seconds;
    };
    const rebuilt = async (log: LogPlace, store: StorePlace): Promise<number> => {
      const built = await child.ask({ kind: 'rebuild', log, store });
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
      measure: async (round) => ({
        events: await rebuilt(
          { engine: 'eventstoredb', url: eventLog.url },
          { engine: 'mongodb', url: databaseUrl(readStore.url, `bench-${randomUUID()}`) },
        ),
        'embedded, events': await rebuilt(
          { engine: 'sqlite', file },
          { engine: 'sqlite', file: join(folder, `read-models-${round}.db`) },
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
