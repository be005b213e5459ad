import { isEventLogError, openWithRetry } from '@refledger/event-log';
import { ConfigError, readConfig, type Config } from './config/config.js';
import { exitOnUncaught } from './exit-on-uncaught.js';
import { Health } from './health.js';
import { newLogger, type Logger } from './logger.js';
import { newMetrics, type Metrics } from './metrics.js';
import { startOpsServer } from './ops-server.js';
import { closeOnSignals } from './shutdown.js';
import { exitWithStartFailure } from './start-failure.js';

/** The context of a role that runs as its own service. */
export interface ServiceContext {
  readonly config: Config & {
    readonly bootstrapApiKey: string;
    readonly secretsKeys: readonly Buffer[];
  };
  readonly logger: Logger;
  readonly metrics: Metrics;
  readonly health: Health;
  /**
   * Opens an engine. Retries with increasing delays while the engine is unavailable, and reports
   * that to the health checks and the log. Throws errors that waiting does not fix.
   */
  readonly open: <T>(engine: () => Promise<T>) => Promise<T>;
}

export interface RunningRole {
  /** The URL of the role, if it serves one. */
  readonly url?: string;
  /** Updates the metrics that are looked up only when they are collected. */
  readonly measure?: () => void;
  close(): Promise<void>;
}

/** A role, and the parts whose health it reports. */
interface RoleParts {
  readonly role: string;
  readonly parts: readonly string[];
}

/**
 * Runs one role as its own process on the distributed engines, with configuration, health, metrics
 * and an orderly shutdown. A role given only by name has one part, with that name. The health
 * checks respond from the start, so a service that waits for its engines is live but not ready.
 * Prints one line with their address, and one once the role is running; when it cannot start,
 * prints why and exits with 1.
 */
export const runService = async (
  named: string | RoleParts,
  start: (context: ServiceContext) => Promise<RunningRole>,
): Promise<void> => {
  const { role, parts } = typeof named === 'string' ? { role: named, parts: [named] } : named;
  try {
    const config = distributed(role, readConfig(process.env));
    const logger = newLogger(config.logLevel, role);
    exitOnUncaught(logger);
    const metrics = newMetrics();
    const health = new Health(parts);
    const ending = new AbortController();
    const started: { running?: RunningRole } = {};

    const ops = await startOpsServer(config, health, () => {
      started.running?.measure?.();
      return metrics.registry.metrics();
    });
    if (ops !== undefined) print(`${role} serves health and metrics at ${ops.url}`);
    closeOnSignals(async () => {
      ending.abort();
      await Promise.all([started.running?.close(), ops?.close()]);
    }, logger);

    const onWait = (error: Error, waitMs: number): void => {
      for (const part of parts)
        health.report({ part, ready: false, detail: `waiting: ${error.message}` });
      logger.warn({ wait_ms: waitMs, err: error }, 'an engine is unavailable; retrying');
    };
    const open: ServiceContext['open'] = (engine) =>
      openWithRetry(engine, { isUnavailable, signal: ending.signal, onWait });
    const running = (started.running = await start({ config, logger, metrics, health, open }));
    if (ending.signal.aborted) return;
    print(`${role} is ready${running.url === undefined ? '' : ` at ${running.url}`}`);
  } catch (error) {
    exitWithStartFailure(`Refledger's ${role}`, error);
  }
};

const print = (line: string): void => void process.stdout.write(`Refledger's ${line}\n`);

/**
 * Whether trying again may help. The event log's errors say so with `unavailable` or
 * `unknown_outcome`, the other engines' errors with the kind `unavailable`.
 */
const isUnavailable = (error: unknown): error is Error =>
  isEventLogError(error, 'unavailable', 'unknown_outcome') ||
  (error instanceof Error && 'kind' in error && error.kind === 'unavailable');

/**
 * Requires the distributed engines. With them, `readConfig` has already checked that both secrets
 * are set.
 */
const distributed = (role: string, config: Config): ServiceContext['config'] => {
  const { engines, bootstrapApiKey, secretsKeys } = config;
  if (
    engines.mode !== 'distributed' ||
    bootstrapApiKey === undefined ||
    secretsKeys === undefined
  ) {
    throw new ConfigError([
      `${role} needs engines that several services can share. Set EVENT_LOG_URL, READ_STORE_URL and EVENT_BUS_URL to EventStoreDB, MongoDB and Kafka, or run all roles in one process with npm start.`,
    ]);
  }
  return { ...config, bootstrapApiKey, secretsKeys };
};
