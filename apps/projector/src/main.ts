import { openKeyReaderLazily, openKeyReaderOfLog } from '@refledger/application';
import { openEventLog } from '@refledger/event-log';
import { measureProcessor, processorHealth, runService } from '@refledger/platform';
import { startBatches } from '@refledger/platform/nest';
import { newSearchTerms } from '@refledger/personal-data';
import { openReadStore } from '@refledger/read-store';
import { projectorName } from '@refledger/projections';
import { openSecretBox } from '@refledger/sealing';
import { startProjector } from './start-projector.js';

await runService(projectorName, async ({ config, logger, metrics, health, open }) => {
  const { engines, dataDir, secretsKeys } = config;
  const log = await open(() => openEventLog(engines.eventLogUrl, { dataDir, mode: 'write' }));
  const store = await open(() => openReadStore(engines.readStoreUrl, { dataDir, mode: 'write' }));
  const keyStore = await open(() =>
    openKeyReaderLazily(() => openKeyReaderOfLog(log, { url: engines.keyStoreUrl, dataDir })),
  );
  const projector = await startProjector({
    log,
    store,
    makeTerms: newSearchTerms(keyStore, openSecretBox(secretsKeys)),
    logger,
    startBatches,
    onStatus: (status) => health.report(processorHealth(projectorName, status)),
  });
  return {
    measure: () => measureProcessor(metrics, projectorName, projector.status()),
    close: async () => {
      await projector.close();
      await keyStore.close();
      await store.close();
      await log.close();
    },
  };
});
