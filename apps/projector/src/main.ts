import { openEventLog } from '@refledger/event-log';
import { measureProcessor, processorHealth, runService } from '@refledger/platform';
import { startBatches } from '@refledger/platform/nest';
import { openReadStore } from '@refledger/read-store';
import { projectorName } from '@refledger/projections';
import { startProjector } from './start-projector.js';

await runService(projectorName, async ({ config, logger, metrics, health, open }) => {
  const { engines, dataDir } = config;
  const log = await open(() => openEventLog(engines.eventLogUrl, { dataDir, mode: 'write' }));
  const store = await open(() => openReadStore(engines.readStoreUrl, { dataDir, mode: 'write' }));
  const projector = await startProjector({
    log,
    store,
    logger,
    startBatches,
    onStatus: (status) => health.report(processorHealth(projectorName, status)),
  });
  return {
    measure: () => measureProcessor(metrics, projectorName, projector.status()),
    close: async () => {
      await projector.close();
      await store.close();
      await log.close();
    },
  };
});
