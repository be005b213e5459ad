import { CommandHandler } from '@refledger/event-log';
import type { SqliteEventLog } from '@refledger/event-log/sqlite';
import {
  carryOut,
  joinMetrics,
  operatorSocketPath,
  serveOperator,
  startOpsServer,
  type Config,
  type DataFolder,
  type Health,
  type Metrics,
} from '@refledger/platform';
import { startProcessorsThread } from './processors-thread.js';

interface BackgroundOptions {
  readonly config: Config;
  readonly folder: DataFolder;
  readonly log: SqliteEventLog;
  readonly health: Health;
  readonly metrics: Metrics;
  readonly onDeath: (error: Error) => void;
}

export interface Background {
  /** The URL of health and metrics; undefined without OPS_PORT. */
  readonly opsUrl: string | undefined;
  close(): Promise<void>;
}

/**
 * Starts everything beside the gateway: the processors' thread, the operator's socket, and the
 * server of health and metrics.
 */
export const startBackground = async ({
  config,
  folder,
  log,
  health,
  metrics,
  onDeath,
}: BackgroundOptions): Promise<Background> => {
  const processors = await startProcessorsThread({ writer: log.writerPort(), health, onDeath });
  const operator = await serveOperator(operatorSocketPath(folder.path), (command) =>
    carryOut(new CommandHandler(log), command),
  );
  const ops =
    config.opsPort === undefined
      ? undefined
      : await startOpsServer({
          port: config.opsPort,
          host: config.http.host,
          health,
          metrics: async () =>
            joinMetrics([await metrics.registry.getMetricsAsJSON(), await processors.metrics()]),
        });
  return {
    opsUrl: ops?.url,
    close: async () =>
      void (await Promise.all([processors.close(), operator.close(), ops?.close()])),
  };
};
