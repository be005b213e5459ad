import { openKeyReaderLazily, openKeyReaderOfLog } from '@refledger/application';
import { openPublication, relayName } from '@refledger/event-bus';
import { openEventLog } from '@refledger/event-log';
import {
  ConfigError,
  measureProcessor,
  outgoingOff,
  processorHealth,
  runService,
} from '@refledger/platform';
import { PersonalData } from '@refledger/personal-data';
import { openSecretBox } from '@refledger/sealing';
import { relayNothing } from './relay-nothing.js';
import { startRelay } from './start-relay.js';

await runService(relayName, async ({ config, logger, metrics, health, open }) => {
  const { engines, dataDir, kafka, secretsKeys } = config;
  const blocked = outgoingOff(config);
  if (blocked !== undefined) return relayNothing(blocked, { logger, metrics, health });
  const publication = await openPublication(engines.eventBusUrl, { logger, ...kafka });
  if (publication === undefined)
    throw new ConfigError([
      'EVENT_BUS_URL is log:, so the event log is the bus and there is nothing to relay. Do not run this service.',
    ]);
  const log = await open(() => openEventLog(engines.eventLogUrl, { dataDir, mode: 'write' }));
  const keyStore = await open(() =>
    openKeyReaderLazily(() => openKeyReaderOfLog(log, { url: engines.keyStoreUrl, dataDir })),
  );
  const personalData = new PersonalData(keyStore, openSecretBox(secretsKeys));
  const relay = await startRelay({
    log,
    personalData,
    publication,
    logger,
    onStatus: (status) => health.report(processorHealth(relayName, status)),
  });
  return {
    measure: () => {
      measureProcessor(metrics, relayName, relay.status());
      metrics.processorSendsNothing.set({ processor: relayName }, 0);
    },
    close: async () => {
      await relay.close();
      await publication.close();
      await keyStore.close();
      await log.close();
    },
  };
});
