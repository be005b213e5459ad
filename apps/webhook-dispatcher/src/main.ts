import { openKeyReaderOfLog } from '@refledger/application';
import { openEventBus } from '@refledger/event-bus';
import { openEventLog } from '@refledger/event-log';
import { outgoingOff, runService } from '@refledger/platform';
import { startBatches } from '@refledger/platform/nest';
import { AccountKeyring, DeliveryTexts, PersonalData } from '@refledger/personal-data';
import { AccountEvents } from '@refledger/projections';
import { openReadStore } from '@refledger/read-store';
import { openSecretBox } from '@refledger/sealing';
import { dispatcherName, Outgoing } from '@refledger/webhook-endpoints';
import { openDeliveryStore } from '@refledger/delivery-store';
import { openWebhookDispatcher } from './open-webhook-dispatcher.js';

await runService(dispatcherName, async ({ config, logger, metrics, health, open }) => {
  const { engines, dataDir, secretsKeys, webhooks: settings } = config;
  const log = await open(() => openEventLog(engines.eventLogUrl, { dataDir, mode: 'write' }));
  const store = await open(() => openDeliveryStore(engines.deliveryStoreUrl, { dataDir }));
  // only replays read it, and they wait while it is unavailable
  const readStore = await open(() =>
    openReadStore(engines.readStoreUrl, { dataDir, mode: 'read', waitForServer: false }),
  );
  const outgoing = new Outgoing(outgoingOff(config));
  // It must take no partition from dispatchers that send, if it is on the same brokers by mistake.
  const group = outgoing.blocked === undefined ? dispatcherName : `${dispatcherName}-off`;
  const keyStore = await open(() => openKeyReaderOfLog(log, { url: engines.keyStoreUrl, dataDir }));
  const secretBox = openSecretBox(secretsKeys);
  const personalData = new PersonalData(keyStore, secretBox);
  const bus = await openEventBus(engines.eventBusUrl, { log, personalData, group, logger });
  const dispatcher = openWebhookDispatcher({
    settings,
    log,
    bus,
    store,
    keys: keyStore,
    events: new AccountEvents(readStore, log.id),
    secretBox,
    personalData,
    texts: new DeliveryTexts(keyStore, secretBox, new AccountKeyring(keyStore, secretBox)),
    outgoing,
    logger,
    metrics,
    startBatches,
    report: health.report.bind(health),
  });
  return {
    measure: () => dispatcher.measure(),
    close: async () => {
      await dispatcher.close();
      await bus.close();
      await readStore.close();
      await keyStore.close();
      await store.close();
      await log.close();
    },
  };
});
