import { existsSync } from 'node:fs';
import { CommandRunner } from '@refledger/event-log';
import { openSqliteEventLog, type GroupStatistics } from '@refledger/event-log/sqlite';
import {
  carryOut,
  checkFreeAddress,
  closeOnSignals,
  ConfigError,
  dataFolder,
  Health,
  joinMetrics,
  keepOnce,
  makeDataFolder,
  newLogger,
  newMetrics,
  operatorSocketPath,
  refuseMoved,
  serveOperator,
  startOpsServer,
  type Config,
} from '@refledger/platform';
import { openSqliteReadStore } from '@refledger/read-store/sqlite';
import { lockFolder } from '@refledger/sqlite';
import { projectorName } from '@refledger/views';
import { dispatcherName } from '@refledger/webhooks';
import { embeddedSecretBox } from './embedded-secret-box.js';
import { startFollowersThread } from './followers-thread.js';
import { refuseMissingLog } from './log-missing.js';

/** Every role in one process on the embedded engines: requests here, appends and followers each on a thread of their own. Throws `ConfigError` for other engines. */
export const startStandalone = async (config: Config): Promise<void> => {
  if (config.engines.mode !== 'embedded')
    throw new ConfigError([
      'EVENT_LOG_URL names EventStoreDB, and the standalone service supports only sqlite: leave the three engine URLs out, or run each role as a service of its own',
    ]);
  const logger = newLogger(config.logLevel, 'standalone');
  const metrics = newMetrics();
  const health = new Health(['gateway', projectorName, dispatcherName]);
  const folder = dataFolder(config.dataDir);
  // a start that fails for its port leaves nothing behind
  if (!existsSync(folder.path))
    for (const port of [config.http.port, config.opsPort ?? 0])
      await checkFreeAddress(port, config.http.host);
  // everything made here, by SQLite too, is for this user alone
  process.umask(0o077);
  makeDataFolder(folder);
  const lock = lockFolder(folder.path);
  refuseMoved(folder);
  const giveUp = (error: Error): void => {
    logger.fatal({ err: error }, 'a part of the service died: ending, so that it is started again');
    process.exit(1);
  };
  const onGroup = ({ events, commitMs }: GroupStatistics): void => {
    metrics.appendBatchEvents.observe(events);
    metrics.appendBatchSeconds.observe(commitMs / 1_000);
  };
  await refuseMissingLog(folder);
  const log = await openSqliteEventLog({
    file: folder.events,
    mode: 'write',
    onGroup,
    onCrash: giveUp,
  });
  const store = await openSqliteReadStore({ file: folder.readModels, mode: 'read' });
  const secretBox = await embeddedSecretBox(config, folder);
  const startInside = async () => {
    const followers = await startFollowersThread({
      writer: log.writerPort(),
      health,
      onDeath: giveUp,
    });
    const operator = await serveOperator(operatorSocketPath(folder.path), (command) =>
      carryOut(new CommandRunner(log), command),
    );
    const ops =
      config.opsPort === undefined
        ? undefined
        : await startOpsServer({
            port: config.opsPort,
            host: config.http.host,
            health,
            metrics: async () =>
              joinMetrics([await metrics.registry.getMetricsAsJSON(), await followers.metrics()]),
          });
    return { followers, operator, ops };
  };
  // the gateway is loaded and made while the thread of the followers loads, which takes as long
  const inside = startInside();
  const gatewayStart = import('@refledger/gateway').then(({ startGateway }) =>
    startGateway({
      config,
      log,
      store,
      secretBox,
      logger,
      metrics,
      health,
      keepFirstKey: (fresh) => keepOnce(folder.apiKey, fresh),
      admit: inside,
    }),
  );
  const [{ followers, operator, ops }, gateway] = await Promise.all([inside, gatewayStart]);
  health.say({ part: 'gateway', ready: true, detail: 'serving' });

  closeOnSignals(async () => {
    // at the same time: neither waits for the other, and both have a limit below that of the whole
    await Promise.all([gateway.close(), followers.close(), operator.close(), ops?.close()]);
    await store.close();
    await log.close();
    lock.release();
  }, logger);

  await health.readyWithin(mostToBecomeReadyMs);
  if (config.webhooks.privateTargets !== 'false')
    logger.warn(
      `webhooks may go to ${config.webhooks.privateTargets === 'loopback' ? 'loopback' : 'private'} addresses (WEBHOOK_ALLOW_PRIVATE_TARGETS)`,
    );
  const key =
    config.bootstrapApiKey === undefined && existsSync(folder.apiKey)
      ? `, the API key is in ${folder.apiKey}`
      : '';
  process.stdout.write(
    `Refledger is ready at ${gateway.url}${ops === undefined ? '' : `, health and metrics at ${ops.url}`}${key}\n`,
  );
};

/** Where there is little to catch up with, who asks as soon as the start is told finds the service ready. Requests are answered before. */
const mostToBecomeReadyMs = 2_000;
