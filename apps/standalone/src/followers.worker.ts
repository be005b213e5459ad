import { parentPort, workerData, type MessagePort } from 'node:worker_threads';
import {
  dataFolder,
  newLogger,
  newMetrics,
  readConfig,
  type PartHealth,
} from '@refledger/platform';
import { measureProjector, projectorHealth, startProjector } from '@refledger/projector';
import { embeddedSecretBox } from './embedded-secret-box.js';
import { openFollowersConnections } from './followers-connections.js';
import { openFollowersDispatcher } from './followers-dispatcher.js';
import type { FollowersData, FromFollowers, ToFollowers } from './thread-messages.js';

/** The followers' thread: projector and webhook-dispatcher over connections of their own, appending through the writer's thread. */
const run = async (main: MessagePort, { writer }: FollowersData): Promise<void> => {
  const config = readConfig(process.env);
  const folder = dataFolder(config.dataDir);
  const logger = newLogger(config.logLevel, 'followers');
  const metrics = newMetrics();
  const say = (message: FromFollowers): void => main.postMessage(message);
  const health = (part: PartHealth): void => say({ say: 'health', health: part });

  const connections = await openFollowersConnections(folder, writer);
  const secretBox = await embeddedSecretBox(config, folder);
  const projector = await startProjector({
    log: connections.log,
    store: connections.readStore,
    logger,
    onStatus: (status) => health(projectorHealth(status)),
  });
  const dispatcher = openFollowersDispatcher({
    settings: config.webhooks,
    connections,
    secretBox,
    logger,
    metrics,
    say: health,
  });

  const stop = async (): Promise<void> => {
    await Promise.all([projector.close(), dispatcher.close()]);
    await connections.close();
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
