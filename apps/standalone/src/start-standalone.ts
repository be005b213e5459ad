import { readFile } from 'node:fs/promises';
import { ledgerParts } from '@refledger/balances';
import type { DataDirectory } from '@refledger/engines';
import type { Gateway } from '@refledger/gateway';
import {
  closeOnSignals,
  ConfigError,
  exitOnUncaught,
  Health,
  newLogger,
  newMetrics,
  sendsNothing,
  type Config,
  type Logger,
} from '@refledger/platform';
import { projectorName } from '@refledger/projections';
import { dispatcherName } from '@refledger/webhook-endpoints';
import { EmbeddedOutgoing } from './embedded-outgoing.js';
import { openEmbedded } from './open-embedded.js';
import { readOrCreateFile } from './read-or-create-file.js';
import { startBackground } from './start-background.js';

/**
 * Runs every role in one process on the embedded engines. Requests are served on this thread;
 * appends and the processors have a thread each. Throws `ConfigError` for other engines.
 */
export const startStandalone = async (config: Config): Promise<void> => {
  if (config.engines.mode !== 'embedded')
    throw new ConfigError([
      'EVENT_LOG_URL names EventStoreDB, but the standalone service supports only sqlite:. Omit the engine URLs, or run each role as a separate service.',
    ]);
  const logger = newLogger(config.logLevel, 'standalone');
  exitOnUncaught(logger);
  const metrics = newMetrics();
  const health = new Health(['gateway', projectorName, ...ledgerParts, dispatcherName]);
  const giveUp = (error: Error): void => {
    logger.fatal({ err: error }, 'a part of the service failed; exiting to be restarted');
    process.exit(1);
  };
  const engines = await openEmbedded(config, { metrics, onCrash: giveUp });
  const { directory, log, store, keyStore, secretBox } = engines;
  const outgoing = new EmbeddedOutgoing(config, directory);
  // Load and create the gateway while the processors' thread loads, which takes as long.
  const backgroundStart = startBackground({
    config,
    directory,
    log,
    keyStore,
    logger,
    health,
    metrics,
    outgoing,
    onDeath: giveUp,
  });
  const gatewayStart = import('@refledger/gateway').then(({ startGateway }) =>
    startGateway({
      config,
      log,
      store,
      keyStore,
      secretBox,
      logger,
      metrics,
      health,
      outgoing,
      loadOrCreateFirstKey: (fresh) => readOrCreateFile(directory.apiKey, fresh),
      admit: backgroundStart,
    }),
  );
  const [background, gateway] = await Promise.all([backgroundStart, gatewayStart]);
  health.report({ part: 'gateway', ready: true, detail: 'serving' });

  closeOnSignals(async () => {
    // Close both at the same time: neither waits for the other, and each has a shorter limit than
    // the whole shutdown.
    await Promise.all([gateway.close(), background.close()]);
    await engines.close();
  }, logger);

  await health.readyWithin(readinessTimeoutMs);
  warnOfPrivateTargets(config, logger);
  const keyFile = await usableKeyFile(config, directory, gateway);
  announce({ url: gateway.url, opsUrl: background.opsUrl, keyFile });
  if (outgoing.blocked !== undefined)
    process.stdout.write(`Refledger ${sendsNothing(outgoing.blocked)}\n`);
};

/**
 * How long, in milliseconds, to wait for readiness before the start is announced. If the processors
 * have little to catch up on, a check right after the announcement finds the service ready.
 * Requests are already served before that.
 */
const readinessTimeoutMs = 2_000;

const warnOfPrivateTargets = ({ webhooks: { privateTargets } }: Config, logger: Logger): void => {
  if (privateTargets !== 'false')
    logger.warn(
      `webhooks may be sent to ${privateTargets === 'loopback' ? 'loopback' : 'private'} addresses (WEBHOOK_ALLOW_PRIVATE_TARGETS)`,
    );
};

/** The file with the first key, unless another key is configured or that one was revoked. */
const usableKeyFile = async (
  { bootstrapApiKey }: Config,
  { apiKey }: DataDirectory,
  gateway: Pick<Gateway, 'accepts'>,
): Promise<string | undefined> => {
  if (bootstrapApiKey !== undefined) return undefined;
  const key = await readFile(apiKey, 'utf8').catch(() => '');
  return gateway.accepts(key.trim()) ? apiKey : undefined;
};

interface Announcement {
  readonly url: string;
  readonly opsUrl: string | undefined;
  readonly keyFile: string | undefined;
}

const announce = ({ url, opsUrl, keyFile }: Announcement): void => {
  const ops = opsUrl === undefined ? '' : `, health and metrics at ${opsUrl}`;
  const key = keyFile === undefined ? '' : `, with its API key in ${keyFile}`;
  process.stdout.write(`Refledger is ready at ${url}${ops}${key}\n`);
};
