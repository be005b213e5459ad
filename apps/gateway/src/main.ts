import { openKeysLazily, openKeysOfLog } from '@refledger/application';
import { openEventLog } from '@refledger/event-log';
import { runService } from '@refledger/platform';
import { openReadStore } from '@refledger/read-store';
import { readModelsCaughtUp } from '@refledger/queries';
import { openSecretBox } from '@refledger/sealing';
import { startGateway } from './start-gateway.js';

await runService('gateway', async ({ config, logger, metrics, health, open }) => {
  const { engines, dataDir, secretsKeys, bootstrapApiKey } = config;
  const ending = new AbortController();
  const log = await open(() => openEventLog(engines.eventLogUrl, { dataDir, mode: 'write' }));
  const store = await open(() =>
    openReadStore(engines.readStoreUrl, { dataDir, mode: 'read', waitForServer: false }),
  );
  const keyStore = await open(() =>
    openKeysLazily(() => openKeysOfLog(log, { url: engines.keyStoreUrl, dataDir })),
  );
  const gateway = await open(() =>
    startGateway({
      config,
      log,
      store,
      keyStore,
      secretBox: openSecretBox(secretsKeys),
      logger,
      metrics,
      health,
      loadOrCreateFirstKey: () => Promise.resolve(bootstrapApiKey),
    }),
  );
  const report = (ready: boolean, detail: string): void =>
    health.report({ part: 'gateway', ready, detail });
  report(false, 'serving; the read models are being built');
  const onFailure = (error: Error): void => {
    logger.warn(
      { err: error },
      'the read models are unavailable; only writes and single records are served',
    );
    report(false, `serving; the read models are unavailable: ${error.message}`);
  };
  void readModelsCaughtUp({ log, store, signal: ending.signal, onFailure }).then((ready) => {
    if (ready) report(ready, 'serving');
  });
  return {
    url: gateway.url,
    close: async () => {
      ending.abort();
      await gateway.close();
      await store.close();
      await keyStore.close();
      await log.close();
    },
  };
});
