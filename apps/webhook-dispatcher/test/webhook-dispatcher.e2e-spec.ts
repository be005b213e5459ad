import { mkdtempSync, rmSync } from 'node:fs';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { newId, streams } from '@refledger/contracts';
import { processorDecider, webhookEndpointsDecider } from '@refledger/domain';
import { plainPersonalData } from '@refledger/domain/testing';
import { embeddedUrls } from '@refledger/engines';
import { EventWriter, accountId } from '@refledger/event-bus/conformance';
import { openEventBus } from '@refledger/event-bus';
import { CommandHandler, newContext } from '@refledger/application';
import { openEventLog, type EventLog } from '@refledger/event-log';
import { EveryKey } from '@refledger/personal-data/testing';
import { newLogger, newMetrics, startBatches, type PartHealth } from '@refledger/platform';
import { openSecretBox } from '@refledger/sealing';
import { waitFor } from '@refledger/testing';
import { openDeliveryStore } from '@refledger/delivery-store';
import { openSender } from '@refledger/webhooks/sender';
import { startWebhookDispatcher } from '../src/index.js';

let directory: string;
let log: EventLog;
let server: Server;
const bodies: string[] = [];
beforeEach(async () => {
  directory = mkdtempSync(join(tmpdir(), 'refledger-app-'));
  log = await openEventLog(embeddedUrls.EVENT_LOG_URL, { dataDir: directory, mode: 'write' });
  bodies.length = 0;
  server = createServer((request, response) => {
    let body = '';
    request.on('data', (chunk: Buffer) => (body += chunk.toString('utf8')));
    request.on('end', () => {
      bodies.push(body);
      response.end();
    });
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
});
afterEach(async () => {
  server.closeAllConnections();
  await new Promise((resolve) => server.close(resolve));
  await log.close();
  rmSync(directory, { recursive: true });
});

const secretBox = openSecretBox([Buffer.alloc(32, 1)]);
const context = newContext({ accountId, actor: 'test', requestId: 'test' });

const start = async () => {
  const logger = newLogger('silent', 'test');
  const bus = await openEventBus(embeddedUrls.EVENT_BUS_URL, {
    log,
    personalData: plainPersonalData,
    group: 'test',
    logger,
  });
  const store = await openDeliveryStore(embeddedUrls.DELIVERY_STORE_URL, { dataDir: directory });
  const sender = openSender({ mode: 'loopback' });
  const metrics = newMetrics();
  const reported: PartHealth[] = [];
  const running = await startWebhookDispatcher({
    log,
    bus,
    personalData: plainPersonalData,
    texts: new EveryKey().texts,
    store,
    keys: { counts: () => Promise.resolve({ keys: 3, erased: 1 }) },
    events: { read: () => Promise.resolve({ events: [], reached: undefined }) },
    sender,
    secretBox,
    metrics,
    startBatches,
    report: (health) => reported.push(health),
    holder: 'standalone',
    schedule: [5_000],
    timeoutMs: 5_000,
    retentionMs: 3_600_000,
    heldRetentionMs: 3_600_000,
    disableAfterMs: 0,
    version: '0.0.0',
    logger,
  });
  const close = async () => {
    await running.close();
    await bus.close();
    await store.close();
    await sender.close();
  };
  return { running, metrics, reported, close };
};

it('delivers, reports health and metrics, and closes', async () => {
  const target_url = `http://127.0.0.1:${(server.address() as AddressInfo).port}/hook`;
  const subscribe = {
    type: 'subscribe',
    endpoint_id: newId('endpoint'),
    target_url,
    target_key: target_url,
    events: ['affiliate.created'],
    new_secret: secretBox.seal('whsec_test'),
    now: new Date().toISOString(),
  } as const;
  await new CommandHandler(log).run({
    stream: streams.webhooks(accountId),
    decider: webhookEndpointsDecider,
    command: subscribe,
    context,
  });
  const { running, metrics, reported, close } = await start();
  await new EventWriter(log).createAffiliate(newId('affiliate'), 'Ada');
  await waitFor(async () =>
    (await metrics.registry.metrics()).includes(
      'refledger_webhook_attempts_total{outcome="succeeded"} 1',
    ),
  );
  await waitFor(async () =>
    (await metrics.registry.metrics()).includes(
      'refledger_webhook_deliveries{status="succeeded"} 1',
    ),
  );
  expect(bodies).toHaveLength(1);
  expect(JSON.parse(bodies[0] ?? '')).toMatchObject({
    type: 'affiliate.created',
    data: { name: 'Ada' },
  });
  await waitFor(() => reported.at(-1)?.ready === true);
  expect(reported.at(-1)).toEqual({ part: 'webhook-dispatcher', ready: true, detail: 'running' });
  await close();
  expect(running.status().state).toBe('closed');
});

it('is not ready when the log names another store, and says what to do', async () => {
  const command = { type: 'open', processor: 'webhook-dispatcher', store_id: 'another' } as const;
  await new CommandHandler(log).run({
    stream: streams.processor('webhook-dispatcher'),
    decider: processorDecider,
    command,
    context,
  });
  const { running, reported, metrics, close } = await start();
  await waitFor(() => reported.at(-1)?.detail.startsWith('stopped: ') === true);
  expect(reported.at(-1)?.ready).toBe(false);
  expect(reported.at(-1)?.detail).toContain(
    'ops resume webhook-dispatcher --from start|head|<position>',
  );
  running.measure();
  expect(await metrics.registry.metrics()).toContain(
    'refledger_processor_stopped{processor="webhook-dispatcher"} 1',
  );
  await close();
});
