// A dispatcher in a process of its own, which tests kill or pause. Usage: node dispatcher.child.mjs
// LOG MONGODB_URL. Prints `running` once it is running.
import { keepConsuming } from '@refledger/event-bus';
import { openLogBus } from '@refledger/event-bus/log';
import { openSqliteEventLog } from '@refledger/event-log/sqlite';
import { openSecretBox, WebhookDispatcher } from '@refledger/webhooks';
import { openMongodbDeliveryStore } from '@refledger/webhooks/mongodb';
import { openSender } from '@refledger/webhooks/sender';

const [, , logFile, url] = process.argv;
const log = await openSqliteEventLog({ file: logFile, mode: 'read' });
const bus = openLogBus({ log });
const report = (_, message) => console.error(message);
const dispatcher = new WebhookDispatcher({
  log,
  bus,
  store: await openMongodbDeliveryStore({ url }),
  sender: openSender({ mode: 'loopback' }),
  secretBox: openSecretBox([globalThis.Buffer.alloc(32, 1)]),
  schedule: [200, 200, 200, 200],
  timeoutMs: 5_000,
  retentionMs: 3_600_000,
  version: '0.0.0',
  leaseMs: 1_500,
  logger: { info: () => undefined, warn: () => undefined, error: report },
});
const never = new globalThis.AbortController().signal;
const watch = globalThis.setInterval(() => {
  if (dispatcher.status().state !== 'running') return;
  console.log('running');
  globalThis.clearInterval(watch);
}, 10);
await keepConsuming({
  bus,
  consumer: dispatcher,
  handle: (batch) => dispatcher.handle(batch),
  signal: never,
});
