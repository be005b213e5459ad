import { parentPort, workerData, type MessagePort } from 'node:worker_threads';
import { openLogBus } from '@refledger/event-bus/log';
import { openSqliteEventLog } from '@refledger/event-log/sqlite';
import {
  dataFolder,
  newLogger,
  newMetrics,
  readConfig,
  version,
  type PartHealth,
} from '@refledger/platform';
import { measureProjector, projectorHealth, startProjector } from '@refledger/projector';
import { openSqliteReadStore } from '@refledger/read-store/sqlite';
import { secretsReadable, startWebhookDispatcher } from '@refledger/webhook-dispatcher';
import { soleHolder } from '@refledger/webhooks';
import { openSender } from '@refledger/webhooks/sender';
import { openSqliteDeliveryStore } from '@refledger/webhooks/sqlite';
import { embeddedSecretBox } from './embedded-secret-box.js';
import type { FollowersData, FromFollowers, ToFollowers } from './thread-messages.js';

/** The followers' thread: projector and webhook-dispatcher over connections of their own, appending through the writer's thread. */
const run = async (main: MessagePort, { writer }: FollowersData): Promise<void> => {
  const config = readConfig(process.env);
  const folder = dataFolder(config.dataDir);
  const logger = newLogger(config.logLevel, 'followers');
  const metrics = newMetrics();
  const say = (message: FromFollowers): void => main.postMessage(message);

  const log = await openSqliteEventLog({ file: folder.events, mode: 'write', writer });
  const readStore = await openSqliteReadStore({ file: folder.readModels, mode: 'write' });
  const deliveryStore = await openSqliteDeliveryStore({
    file: folder.deliveries,
    onCrash: (error) => {
      throw error;
    },
  });
  // a stream that is not remembered is read in some microseconds here, while each that is kept outlives the young generation: 20,000 were half of this thread's heap
  const bus = openLogBus({ log, cacheSize: 1_000 });
  const { privateTargets, retrySchedule, timeoutMs, retentionMs } = config.webhooks;
  const sender = openSender({ mode: privateTargets });

  const ending = new AbortController();
  const secretBox = await embeddedSecretBox(config, folder);
  const health = (part: PartHealth): void => say({ say: 'health', health: part });
  const projector = await startProjector({
    log,
    store: readStore,
    logger,
    onStatus: (status) => health(projectorHealth(status)),
  });

  const startDispatcher = () =>
    startWebhookDispatcher({
      log,
      bus,
      store: deliveryStore,
      sender,
      secretBox,
      schedule: retrySchedule,
      timeoutMs,
      retentionMs,
      version,
      logger,
      metrics,
      // the folder's lock is held, so what a process before this one has left behind is this one's
      holder: soleHolder,
      say: health,
    });
  const dispatcher = secretsReadable({
    log,
    box: secretBox,
    logger,
    say: health,
    signal: ending.signal,
  }).then((readable) => (readable ? startDispatcher() : undefined));

  const stop = async (): Promise<void> => {
    ending.abort();
    await Promise.all([projector.close(), dispatcher.then((running) => running?.close())]);
    await sender.close();
    await bus.close();
    await deliveryStore.close();
    await readStore.close();
    await log.close();
    main.close();
  };
  main.on('message', (message: ToFollowers) => {
    switch (message.say) {
      case 'stop':
        return void stop();
      case 'metrics':
        measureProjector(metrics, projector.status());
        return void metrics.registry
          .getMetricsAsJSON()
          .then((all) => say({ say: 'metrics', request: message.request, metrics: all }));
    }
  });
  await projector.planned;
  say({ say: 'started' });
};

if (parentPort !== null) await run(parentPort, workerData as FollowersData);
