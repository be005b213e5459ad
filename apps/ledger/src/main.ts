import { openKeysLazily, openKeysOfLog } from '@refledger/application';
import { ledgerParts } from '@refledger/balances';
import { openEventLog } from '@refledger/event-log';
import { runService } from '@refledger/platform';
import { startBatches } from '@refledger/platform/nest';
import { openReadStore } from '@refledger/read-store';
import { startLedger } from './start-ledger.js';

await runService(
  { role: 'ledger', parts: ledgerParts },
  async ({ config, logger, metrics, health, open }) => {
    const { engines, dataDir } = config;
    const log = await open(() => openEventLog(engines.eventLogUrl, { dataDir, mode: 'write' }));
    const store = await open(() => openReadStore(engines.readStoreUrl, { dataDir, mode: 'write' }));
    const keys = await openKeysLazily(() =>
      openKeysOfLog(log, { url: engines.keyStoreUrl, dataDir }),
    );
    const ledger = await startLedger({
      log,
      store,
      keys,
      logger,
      metrics,
      startBatches,
      report: (part) => health.report(part),
    });
    return {
      measure: ledger.measure,
      close: async () => {
        await ledger.close();
        await keys.close();
        await store.close();
        await log.close();
      },
    };
  },
);
