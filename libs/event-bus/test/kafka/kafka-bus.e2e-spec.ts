import { randomUUID } from 'node:crypto';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { openSqliteEventLog } from '@refledger/event-log/sqlite';
import { describeWithServer, nameOf, startKafka, type TestServer } from '@refledger/testing/servers';
import { eventBusConformance, type EventBusFixture } from '../../src/conformance/index.js';
import { openKafkaBus } from '../../src/kafka/kafka-bus.js';
import { startFeed } from './feed.js';
import { quiet } from './quiet.js';

describeWithServer('Kafka', 'on a broker', () => {
  let server: TestServer;
  beforeAll(async () => {
    server = await startKafka();
    process.stderr.write(`${nameOf(server)}\n`);
  });
  afterAll(() => server.stop());

  const fixture = (partitions: number) => async (): Promise<EventBusFixture> => {
    const folder = mkdtempSync(join(tmpdir(), 'refledger-kafka-'));
    const log = await openSqliteEventLog({ file: join(folder, 'events.db'), mode: 'write' });
    const brokers = server.url.split(',');
    const prefix = `test-${randomUUID()}`;
    const feed = await startFeed(log, brokers, prefix, partitions);
    return {
      log,
      bus: openKafkaBus({ brokers, prefix, group: 'suite', logger: quiet, log }),
      async destroy() {
        await feed.stop();
        await log.close();
        rmSync(folder, { recursive: true });
      },
    };
  };

  eventBusConformance('kafka, one partition a topic', fixture(1));
  eventBusConformance('kafka, several partitions a topic', fixture(4));
});
