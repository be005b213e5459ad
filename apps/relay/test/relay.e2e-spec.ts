import { randomUUID } from 'node:crypto';
import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { createServer, type AddressInfo, type Socket } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { newId } from '@refledger/contracts';
import type { RelayStatus } from '@refledger/event-bus';
import { Storyteller } from '@refledger/event-bus/conformance';
import { openKafkaBus, openKafkaPublication } from '@refledger/event-bus/kafka';
import type { EventLog } from '@refledger/event-log';
import { openSqliteEventLog } from '@refledger/event-log/sqlite';
import { newLogger, newMetrics } from '@refledger/platform';
import { eventually } from '@refledger/testing';
import { describeOnServer } from '@refledger/testing/servers';
import { measureRelay, relayHealth, startRelay } from '../src/index.js';

const status: RelayStatus = {
  state: 'live',
  position: undefined,
  head: undefined,
  lagSeconds: 0,
  standingBy: false,
};

it('is ready when it is live or stands by', () => {
  expect(relayHealth(status)).toEqual({ part: 'relay', ready: true, detail: 'live' });
  expect(relayHealth({ ...status, state: 'retrying', error: 'the broker is away' })).toMatchObject({
    ready: false,
    detail: expect.stringContaining('the broker is away') as string,
  });
  expect(relayHealth({ ...status, state: 'catching_up', standingBy: true })).toMatchObject({
    ready: true,
    detail: 'standing by',
  });
});

it('ends while a broker does not answer', async () => {
  const silent = createServer(() => undefined).listen(0, '127.0.0.1');
  await once(silent, 'listening');
  const publication = openKafkaPublication({
    brokers: [`127.0.0.1:${(silent.address() as AddressInfo).port}`],
    partitions: 1,
    logger: newLogger('silent', 'relay'),
  });
  const ending = new AbortController();
  const turn = publication.turn(ending.signal, () => undefined);
  const [connection] = (await once(silent, 'connection')) as [Socket];
  const reason = new Error('the end');
  ending.abort(reason);
  await expect(turn).rejects.toBe(reason);
  await publication.close();
  connection.destroy();
  silent.close();
});

describeOnServer('Kafka', 'the relay as a service', (server) => {
  const folder = mkdtempSync(join(tmpdir(), 'refledger-relay-'));
  const logger = newLogger('silent', 'relay');
  let log: EventLog;
  beforeAll(async () => {
    log = await openSqliteEventLog({ file: join(folder, 'events.db'), mode: 'write' });
  });
  afterAll(async () => {
    await log.close();
    rmSync(folder, { recursive: true });
  });

  it('publishes what is appended, tells its health and its figures, and closes', async () => {
    const connection = { brokers: server().url.split(','), prefix: `test-${randomUUID()}`, logger };
    const publication = openKafkaPublication({ ...connection, partitions: 2 });
    const said: RelayStatus[] = [];
    const story = new Storyteller(log);
    const affiliate = newId('affiliate');
    await story.createAffiliate(affiliate, 'one');
    const relay = await startRelay({ log, publication, logger, onStatus: (now) => said.push(now) });
    await story.renameAffiliate(affiliate, 'two');
    await eventually(
      async () =>
        expect(relay.status()).toMatchObject({ state: 'live', position: await log.head() }),
      { timeoutMs: 30_000 },
    );
    expect(said.at(-1)).toMatchObject({ state: 'live', standingBy: false });

    const metrics = newMetrics();
    measureRelay(metrics, relay.status());
    const figures = await metrics.registry.metrics();
    expect(figures).toContain('refledger_processor_lag_positions{processor="relay"} 0');
    expect(figures).toContain('refledger_processor_stopped{processor="relay"} 0');

    const bus = openKafkaBus({ ...connection, group: 'suite', log });
    const revisions: number[] = [];
    for await (const { records } of bus.consume({
      offsetOf: () => Promise.resolve(undefined),
      signal: AbortSignal.timeout(30_000),
    })) {
      revisions.push(...records.map(({ revision }) => revision));
      if (revisions.length >= 2) break;
    }
    expect(revisions).toEqual([0, 1]);
    await relay.close();
    await bus.close();
    await publication.close();
  });
});
