import { mkdtempSync, rmSync } from 'node:fs';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { newId, streams } from '@refledger/contracts';
import { processorDecider, webhookEndpointsDecider } from '@refledger/domain';
import { Storyteller, accountId } from '@refledger/event-bus/conformance';
import { openLogBus } from '@refledger/event-bus/log';
import { CommandHandler, newContext, type EventLog } from '@refledger/event-log';
import { openSqliteEventLog } from '@refledger/event-log/sqlite';
import { newLogger, newMetrics, type PartHealth } from '@refledger/platform';
import { until } from '@refledger/testing';
import { openSecretBox } from '@refledger/webhooks';
import { openSender } from '@refledger/webhooks/sender';
import { openSqliteDeliveryStore } from '@refledger/webhooks/sqlite';
import { startWebhookDispatcher } from '../src/index.js';

let folder: string;
let log: EventLog;
let server: Server;
const bodies: string[] = [];
beforeEach(async () => {
  folder = mkdtempSync(join(tmpdir(), 'refledger-app-'));
  log = await openSqliteEventLog({ file: join(folder, 'events.db'), mode: 'write' });
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
  rmSync(folder, { recursive: true });
});

const secretBox = openSecretBox([Buffer.alloc(32, 1)]);
const context = newContext({ accountId, actor: 'test', requestId: 'test' });

const start = async () => {
  const bus = openLogBus({ log });
  const store = await openSqliteDeliveryStore({ file: join(folder, 'deliveries.db') });
  const sender = openSender({ mode: 'loopback' });
  const metrics = newMetrics();
  const said: PartHealth[] = [];
  const running = await startWebhookDispatcher({
    log,
    bus,
    store,
    sender,
    secretBox,
    metrics,
    report: (health) => said.push(health),
    holder: 'standalone',
    schedule: [5_000],
    timeoutMs: 5_000,
    retentionMs: 3_600_000,
    version: '0.0.0',
    logger: newLogger('silent', 'test'),
  });
  const close = async () => {
    await running.close();
    await bus.close();
    await store.close();
    await sender.close();
  };
  return { running, metrics, said, close };
};

it('delivers, tells its health and its figures, and closes', async () => {
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
  const { running, metrics, said, close } = await start();
  await new Storyteller(log).createAffiliate(newId('affiliate'), 'Ada');
  await until(async () =>
    (await metrics.registry.metrics()).includes(
      'refledger_webhook_attempts_total{outcome="succeeded"} 1',
    ),
  );
  await until(async () =>
    (await metrics.registry.metrics()).includes(
      'refledger_webhook_deliveries{status="succeeded"} 1',
    ),
  );
  expect(bodies).toHaveLength(1);
  expect(JSON.parse(bodies[0] ?? '')).toMatchObject({
    type: 'affiliate.created',
    data: { name: 'Ada' },
  });
  await until(() => said.at(-1)?.ready === true);
  expect(said.at(-1)).toEqual({ part: 'webhook-dispatcher', ready: true, detail: 'running' });
  await close();
  expect(running.status().state).toBe('closed');
});

it('is not ready when the log knows another store, and says what to do', async () => {
  const command = { type: 'open', processor: 'webhook-dispatcher', store_id: 'another' } as const;
  await new CommandHandler(log).run({
    stream: streams.processor('webhook-dispatcher'),
    decider: processorDecider,
    command,
    context,
  });
  const { said, metrics, close } = await start();
  await until(() => said.at(-1)?.detail.startsWith('stopped: ') === true);
  expect(said.at(-1)?.ready).toBe(false);
  expect(said.at(-1)?.detail).toContain(
    'ops resume webhook-dispatcher --from start|head|<position>',
  );
  await until(async () =>
    (await metrics.registry.metrics()).includes(
      'refledger_processor_stopped{processor="webhook-dispatcher"} 1',
    ),
  );
  await close();
});
