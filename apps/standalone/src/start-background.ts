import { CommandHandler } from '@refledger/application';
import type { DataDirectory } from '@refledger/engines';
import type { EventLog } from '@refledger/event-log';
import {
  carryOut,
  carryOutErasure,
  isBackup,
  operatorSocketPath,
  serveOperator,
  takeOriginalsPlace,
} from '@refledger/operator';
import {
  joinMetrics,
  startOpsServer,
  type Config,
  type Health,
  type Logger,
  type Metrics,
} from '@refledger/platform';
import type { EmbeddedOutgoing } from './embedded-outgoing.js';
import { startProcessorsThread } from './processors-thread.js';

interface BackgroundOptions {
  readonly config: Config;
  readonly directory: DataDirectory;
  readonly log: EventLog;
  readonly keyStore: Parameters<typeof carryOutErasure>[0]['keys'];
  readonly logger: Logger;
  readonly health: Health;
  readonly metrics: Metrics;
  readonly outgoing: EmbeddedOutgoing;
  readonly onDeath: (error: Error) => void;
}

/**
 * Starts everything besides the gateway: the processors' thread, the operator's socket, and the
 * server for health and metrics. `opsUrl` is that server's URL; undefined without OPS_PORT.
 */
export const startBackground = async ({
  config,
  directory,
  log,
  keyStore,
  logger,
  health,
  metrics,
  outgoing,
  onDeath,
}: BackgroundOptions) => {
  const processors = await startProcessorsThread({
    writer: log.writerPort?.(),
    health,
    sendsNothing: outgoing.blocked,
    onDeath,
  });
  const operator = await serveOperator(operatorSocketPath(directory.path), async (command) => {
    const commands = new CommandHandler(log);
    if (command.type === 'erase' || command.type === 'restore_erasure')
      return carryOutErasure({ log, keys: keyStore, logger }, command);
    if (command.type !== 'restored') return carryOut(commands, command);
    // an earlier command may have failed between removing the marker and getting here
    const isNew = isBackup(directory) && (await takeOriginalsPlace(commands, directory));
    outgoing.restored();
    await processors.setOutgoing(outgoing.blocked);
    return isNew;
  });
  const ops = await startOpsServer(config, health, async () =>
    joinMetrics([await metrics.registry.getMetricsAsJSON(), await processors.metrics()]),
  );
  return {
    opsUrl: ops?.url,
    close: async () =>
      void (await Promise.all([processors.close(), operator.close(), ops?.close()])),
  };
};
