import { parentPort, workerData, type MessagePort } from 'node:worker_threads';
import { openKeysOfLog } from '@refledger/application';
import { dataDirectory } from '@refledger/engines';
import { openEventBus } from '@refledger/event-bus';
import { openEventLog } from '@refledger/event-log';
import { startLedger } from '@refledger/ledger';
import {
  measureProcessor,
  newLogger,
  newMetrics,
  processorHealth,
  readConfig,
  startBatches,
  type Config,
  type Logger,
  type PartHealth,
} from '@refledger/platform';
import {
  AccountKeyring,
  DeliveryTexts,
  newSearchTerms,
  PersonalData,
} from '@refledger/personal-data';
import { AccountEvents, projectorName, type ProjectorStatus } from '@refledger/projections';
import { startProjector } from '@refledger/projector';
import { openReadStore } from '@refledger/read-store';
import { CallServer, Calls, callsTo } from '@refledger/sqlite';
import { openWebhookDispatcher } from '@refledger/webhook-dispatcher';
import { DeliveryStoreError, openDeliveryStore } from '@refledger/delivery-store';
import { exclusiveHolder, Outgoing, dispatcherName } from '@refledger/webhook-endpoints';
import { embeddedSecretBox } from './embedded-secret-box.js';
import { stoppedDispatcher } from './stopped-dispatcher.js';
import type { HealthMethods, ProcessorsData, ProcessorsMethods } from './thread-methods.js';

/**
 * Runs the processors' thread: projector, ledger and webhook-dispatcher with their own connections,
 * appending through the writer's thread.
 */
const run = async (
  main: MessagePort,
  { writer, health: toMain, sendsNothing }: ProcessorsData,
): Promise<void> => {
  const config = readConfig(process.env);
  const logger = newLogger(config.logLevel, 'processors');
  const metrics = newMetrics();
  const { call } = new Calls<HealthMethods>(toMain, String);
  const health = (part: PartHealth): void => void call('report', part);

  const connections = await openConnections(config, { writer, logger });
  const { log, bus, store, readStore, keys, secretBox, personal, makeTerms } = connections;
  const common = { log, logger, startBatches };
  const onStatus = (status: ProjectorStatus): void =>
    health(processorHealth(projectorName, status));
  const projector = await startProjector({ ...common, store: readStore, makeTerms, onStatus });
  const reports = { metrics, logger, report: health };
  const ledger = await startLedger({ ...common, ...reports, store: readStore, keys });
  const outgoing = new Outgoing(sendsNothing);
  const dispatcher =
    store instanceof DeliveryStoreError
      ? stoppedDispatcher(store, reports)
      : openWebhookDispatcher({
          ...common,
          ...reports,
          bus,
          store,
          keys,
          secretBox,
          ...personal,
          outgoing,
          events: new AccountEvents(readStore, log.id),
          settings: config.webhooks,
          // This process has the folder's lock, so it owns the deliveries that an earlier process
          // left with the status `sending`.
          holder: exclusiveHolder,
        });

  new CallServer<ProcessorsMethods>(main, {
    perform: callsTo<ProcessorsMethods>({
      started: () => projector.planned,
      metrics: () => {
        measureProcessor(metrics, projectorName, projector.status());
        ledger.measure();
        dispatcher.measure();
        return metrics.registry.getMetricsAsJSON();
      },
      setOutgoing: (reason) => outgoing.set(reason),
    }),
    failureOf: onCrash,
    onClose: async () => {
      await Promise.all([projector.close(), ledger.close(), dispatcher.close()]);
      await connections.close();
    },
  });
};

/** An error here ends the thread. */
const onCrash = (error: unknown): never => {
  throw error;
};

/**
 * Opens the engines for the processors' thread. It has its own connections, and appends through the
 * writer's thread.
 */
const openConnections = async (
  config: Config,
  { writer, logger }: { readonly writer: MessagePort | undefined; readonly logger: Logger },
) => {
  const { engines, dataDir } = config;
  const log = await openEventLog(engines.eventLogUrl, { dataDir, mode: 'write', writer });
  const readStore = await openReadStore(engines.readStoreUrl, { dataDir, mode: 'write' });
  const store = await openDeliveryStore(engines.deliveryStoreUrl, {
    dataDir,
    onCrash,
  }).catch((error: unknown) => {
    if (error instanceof DeliveryStoreError && error.kind === 'damaged') return error;
    throw error;
  });
  const url = engines.keyStoreUrl;
  const keyStore = await openKeysOfLog(log, { url, dataDir, onCrash });
  const secretBox = await embeddedSecretBox(config, dataDirectory(dataDir));
  const personalData = new PersonalData(keyStore, secretBox);
  const texts = new DeliveryTexts(keyStore, secretBox, new AccountKeyring(keyStore, secretBox));
  // Keep few streams: reading one again takes microseconds here, but each cached stream outlives
  // the young generation. 20,000 of them took half of this thread's heap.
  const bus = await openEventBus(engines.eventBusUrl, {
    log,
    personalData,
    group: dispatcherName,
    logger,
    cacheSize: 1_000,
  });
  return {
    log,
    bus,
    readStore,
    store,
    keys: keyStore,
    secretBox,
    personal: { personalData, texts },
    makeTerms: newSearchTerms(keyStore, secretBox),
    close: async () => {
      await bus.close();
      if (!(store instanceof DeliveryStoreError)) await store.close();
      await readStore.close();
      await keyStore.close();
      await log.close();
    },
  };
};

if (parentPort !== null) await run(parentPort, workerData as ProcessorsData);
