import { randomUUID } from 'node:crypto';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { newId, type OpenAffiliateRecord } from '@refledger/contracts';
import { plainPersonalData } from '@refledger/domain/testing';
import { embeddedUrls } from '@refledger/engines';
import { openEventBus, openPublication, type RelayStatus } from '@refledger/event-bus';
import { EventWriter } from '@refledger/event-bus/conformance';
import { openEventLog, type EventLog } from '@refledger/event-log';
import { measureProcessor, newLogger, newMetrics } from '@refledger/platform';
import { eventually, scaledTimeout } from '@refledger/testing';
import { present } from '@refledger/testing/present';
import { describeOnServer } from '@refledger/testing/servers';
import { startRelay } from '../src/index.js';

describeOnServer('Kafka', 'the relay as a service', (server) => {
  const directory = mkdtempSync(join(tmpdir(), 'refledger-relay-'));
  const logger = newLogger('silent', 'relay');
  let log: EventLog;
  beforeAll(async () => {
    log = await openEventLog(embeddedUrls.EVENT_LOG_URL, { dataDir: directory, mode: 'write' });
  });
  afterAll(async () => {
    await log.close();
    rmSync(directory, { recursive: true });
  });

  it('publishes appended events, reports health and metrics, and closes', async () => {
    const url = `kafka://${server().url}`;
    const names = { prefix: `test-${randomUUID()}`, logger };
    const publication = present(await openPublication(url, { ...names, partitions: 2 }));
    const reported: RelayStatus[] = [];
    const writer = new EventWriter(log);
    const affiliate = newId('affiliate');
    await writer.createAffiliate(affiliate, 'one');
    const relay = await startRelay({
      log,
      personalData: plainPersonalData,
      publication,
      logger,
      onStatus: (now) => reported.push(now),
    });
    await writer.renameAffiliate(affiliate, 'two');
    await eventually(
      async () =>
        expect(relay.status()).toMatchObject({ state: 'live', position: await log.head() }),
      { timeoutMs: 30_000 },
    );
    expect(reported.at(-1)).toMatchObject({ state: 'live', standingBy: false });

    const metrics = newMetrics();
    measureProcessor(metrics, 'relay', relay.status());
    const figures = await metrics.registry.metrics();
    expect(figures).toContain('refledger_processor_lag_positions{processor="relay"} 0');
    expect(figures).toContain('refledger_processor_stopped{processor="relay"} 0');

    const bus = await openEventBus(url, {
      ...names,
      group: 'suite',
      log,
      // the relay opened the values
      personalData: { openRecords: () => Promise.reject(new Error('there is nothing to open')) },
    });
    const seen: (readonly [number, string])[] = [];
    for await (const { records } of bus.consume({
      offsetOf: () => Promise.resolve(undefined),
      signal: AbortSignal.timeout(scaledTimeout(30_000)),
    })) {
      seen.push(
        ...records.map(
          ({ revision, record }) => [revision, (record as OpenAffiliateRecord).name] as const,
        ),
      );
      if (seen.length >= 2) break;
    }
    expect(seen).toEqual([
      [0, 'one'],
      [1, 'two'],
    ]);
    await relay.close();
    await bus.close();
    await publication.close();
  });
});
