import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { streams, type AffiliateId, type Position } from '@refledger/contracts';
import { openEventLog, type EventLog } from '@refledger/event-log';
import { openKeyStore } from '@refledger/key-store';
import { startDistributedOverLogBus, type DistributedService } from '@refledger/testing';
import {
  describeWithServers,
  startDisposableEventStoreDb,
  type Servers,
} from '@refledger/testing/servers';
import { present } from '@refledger/testing/present';
import { compareResponses, ofLog } from '../src/formats/compare-responses.js';
import { copyData, fixtureReleases, loadFixture, type Fixture } from '../src/formats/fixture.js';
import { appendHistory, logLinesOf } from '../src/formats/log-lines.js';
import { readApi } from '../src/formats/read-api.js';
import { verify } from '../src/verify.js';
import { keyStoreIn, settingsOf } from './opened-fixture.js';

describeWithServers(
  ['MongoDB'],
  'the history of a release on EventStoreDB and MongoDB',
  (servers) => {
    let directory: string;
    beforeEach(() => {
      directory = mkdtempSync(join(tmpdir(), 'refledger-history-'));
    });
    afterEach(() => rmSync(directory, { recursive: true, force: true }));

    it.each(fixtureReleases())('%s reads as its own release read it', async (release) => {
      const fixture = await loadFixture(release);
      await copyData(release, join(directory, 'data'));
      const { services, position } = await startOn(servers, fixture, directory);
      try {
        const { baseUrl } = services;
        const found = await readApi({
          baseUrl,
          position,
          manifest: fixture.manifest,
          isOfLog: true,
        });
        expect(compareResponses(ofLog(fixture.expected), ofLog(found))).toEqual([]);
        const [EVENT_LOG_URL = '', READ_STORE_URL = ''] = services.engines.map(({ url }) => url);
        const settings = {
          ...settingsOf(fixture.manifest, join(directory, 'clock')),
          EVENT_LOG_URL,
        };
        for (const what of ['read models', 'ledger'] as const)
          expect(
            await verify(what, { ...settings, READ_STORE_URL, EVENT_BUS_URL: 'log:' }),
          ).toMatchObject({ code: 0 });
      } finally {
        await services.stop();
      }
    });
  },
);

/** Starts the services over engines with the history and the keys of a fixture. */
const startOn = async (
  servers: Servers<'MongoDB'>,
  { manifest, history }: Fixture,
  directory: string,
): Promise<{ readonly services: DistributedService; readonly position: string }> => {
  const [eventLog, mongodb] = [await startDisposableEventStoreDb(), await servers.start('MongoDB')];
  const log = await openEventLog(eventLog.url, { dataDir: directory, mode: 'write' });
  await appendHistory(log, withoutDispatcher(history));
  const position = (await log.head()) ?? '0';
  await copyKeys(log, mongodb.url, join(directory, 'data'));
  await log.close();
  const env = { ...settingsOf(manifest, join(directory, 'clock')), OUTGOING: 'off' };
  const services = await startDistributedOverLogBus(
    { start: () => Promise.resolve(mongodb) },
    { startEventLog: () => Promise.resolve(eventLog), env },
  );
  return { services, position };
};

/** The deliveries stay behind, so the log must not name their store, or the dispatcher stops. */
const withoutDispatcher = (history: string): string =>
  logLinesOf(history)
    .filter(({ stream }) => stream !== streams.processor('webhook-dispatcher'))
    .map((line) => JSON.stringify(line))
    .join('\n');

/** Copies the keys of a data directory, and the erasures with the positions that they have here. */
const copyKeys = async (log: EventLog, url: string, dataDir: string): Promise<void> => {
  const positions = new Map<string, Position>();
  for await (const { events } of log.readAll())
    for (const { id, position } of events) positions.set(id, position);
  const { id, rows } = await keyStoreIn(dataDir);
  const target = await openKeyStore(url, { dataDir, create: true, newId: id });
  for (const row of rows) {
    const { accountId, owner } = row;
    if (row.kind === 'key')
      await target.put(owner, { accountId, key: row.key, claim: null, at: row.putAt ?? '' });
    else
      await target.destroy(owner as AffiliateId, {
        accountId,
        eventId: row.eventId,
        erasedAt: row.erasedAt,
        position: present(positions.get(row.eventId)),
      });
  }
  await target.close();
};
