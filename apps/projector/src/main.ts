import { openEventStoreDbEventLog } from '@refledger/event-log/eventstoredb';
import { runService } from '@refledger/platform';
import { openMongodbReadStore } from '@refledger/read-store/mongodb';
import { projectorName } from '@refledger/projections';
import { measureProjector, projectorHealth } from './projector-figures.js';
import { startProjector } from './start-projector.js';

await runService(projectorName, async ({ config: { engines }, logger, metrics, health, open }) => {
  const log = await open(() => openEventStoreDbEventLog({ url: engines.eventLogUrl }));
  const store = await open(() =>
    openMongodbReadStore({ url: engines.readStoreUrl, mode: 'write' }),
  );
  const projector = await startProjector({
    log,
    store,
    logger,
    onStatus: (status) => health.report(projectorHealth(status)),
  });
  return {
    measure: () => measureProjector(metrics, projector.status()),
    close: async () => {
      await projector.close();
      await store.close();
      await log.close();
    },
  };
});
