import { openEventStoreDbEventLog } from '@refledger/event-log/eventstoredb';
import { runService, version } from '@refledger/platform';
import { dispatcherName, openSecretBox } from '@refledger/webhooks';
import { openMongodbDeliveryStore } from '@refledger/webhooks/mongodb';
import { openSender } from '@refledger/webhooks/sender';
import { secretsReadable } from './secrets-readable.js';
import { startWebhookDispatcher } from './start-webhook-dispatcher.js';

await runService(
  dispatcherName,
  async ({ config: { engines, secretsKeys, webhooks }, logger, metrics, health, open }) => {
    const report = health.report.bind(health);
    const log = await open(() => openEventStoreDbEventLog({ url: engines.eventLogUrl }));
    const store = await open(() => openMongodbDeliveryStore({ url: engines.readStoreUrl }));
    const bus =
      engines.eventBus.kind === 'kafka'
        ? (await import('@refledger/event-bus/kafka')).openKafkaBus({
            brokers: engines.eventBus.brokers,
            logger,
            log,
            group: dispatcherName,
          })
        : (await import('@refledger/event-bus/log')).openLogBus({ log });
    const secretBox = openSecretBox(secretsKeys);
    const sender = openSender({ mode: webhooks.privateTargets });
    const ending = new AbortController();
    const { retrySchedule: schedule, timeoutMs, retentionMs } = webhooks;
    const dispatcher = secretsReadable({
      log,
      box: secretBox,
      logger,
      report,
      signal: ending.signal,
    }).then((readable) =>
      readable
        ? startWebhookDispatcher({
            log,
            bus,
            store,
            sender,
            secretBox,
            schedule,
            timeoutMs,
            retentionMs,
            version,
            logger,
            metrics,
            report,
          })
        : undefined,
    );
    return {
      close: async () => {
        ending.abort();
        await (await dispatcher)?.close();
        await sender.close();
        await bus.close();
        await store.close();
        await log.close();
      },
    };
  },
);
