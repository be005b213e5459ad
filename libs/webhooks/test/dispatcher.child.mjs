// A dispatcher in a process of its own, which tests kill or pause. Usage: node dispatcher.child.mjs
// DATA_DIR DELIVERY_STORE_URL. Prints `running` once it is running.
import { plainPersonalData } from '@refledger/domain/testing';
import { embeddedUrls } from '@refledger/engines';
import { keepConsuming, openEventBus } from '@refledger/event-bus';
import { openEventLog } from '@refledger/event-log';
import { EveryKey } from '@refledger/personal-data/testing';
import { openDeliveryStore } from '@refledger/delivery-store';
import { openSecretBox } from '@refledger/sealing';
import { WebhookDispatcher } from '@refledger/webhooks';
import { openSender } from '@refledger/webhooks/sender';

const [, , dataDir, url] = process.argv;
const log = await openEventLog(embeddedUrls.EVENT_LOG_URL, { dataDir, mode: 'read' });
const bus = await openEventBus(embeddedUrls.EVENT_BUS_URL, {
  log,
  personalData: plainPersonalData,
});
const report = (_, message) => console.error(message);
const dispatcher = new WebhookDispatcher({
  log,
  bus,
  personalData: plainPersonalData,
  texts: new EveryKey().texts,
  store: await openDeliveryStore(url, { dataDir }),
  events: { read: () => Promise.reject(new Error('no test replays anything here')) },
  sender: openSender({ mode: 'loopback' }),
  secretBox: openSecretBox([globalThis.Buffer.alloc(32, 1)]),
  schedule: [200, 200, 200, 200],
  timeoutMs: 5_000,
  retentionMs: 3_600_000,
  heldRetentionMs: 3_600_000,
  disableAfterMs: 0,
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
