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
import { openProcessorsConnections } from './processors-connections.js';
import { openProcessorsDispatcher } from './processors-dispatcher.js';
import type { ProcessorsData, FromProcessors, ToProcessors } from './thread-messages.js';

/**
 * Runs the processors' thread: projector and webhook-dispatcher with their own connections,
 * appending through the writer's thread.
 */
const run = async (main: MessagePort, { writer }: ProcessorsData): Promise<void> => {
  const config = readConfig(process.env);
  const folder = dataFolder(config.dataDir);
  const logger = newLogger(config.logLevel, 'processors');
  const metrics = newMetrics();
  const post = (message: FromProcessors): void => main.postMessage(message);
  const health = (part: PartHealth): void => post({ type: 'health', health: part });

  const connections = await openProcessorsConnections(folder, writer);
  const secretBox = await embeddedSecretBox(config, folder);
  const projector = await startProjector({
    log: connections.log,
    store: connections.readStore,
    logger,
    onStatus: (status) => health(projectorHealth(status)),
  });
  const dispatcher = openProcessorsDispatcher({
    settings: config.webhooks,
    connections,
    secretBox,
    logger,
    metrics,
    report: health,
  });

  const stop = async (): Promise<void> => {
    await Promise.all([projector.close(), dispatcher.close()]);
    await connections.close();
    main.close();
  };
  main.on('message', (message: ToProcessors) => {
    switch (message.type) {
      case 'stop':
        return void stop();
      case 'metrics':
        measureProjector(metrics, projector.status());
        return void metrics.registry
          .getMetricsAsJSON()
          .then((all) => post({ type: 'metrics', request: message.request, metrics: all }));
    }
  });
  await projector.planned;
  post({ type: 'started' });
};

if (parentPort !== null) await run(parentPort, workerData as ProcessorsData);
