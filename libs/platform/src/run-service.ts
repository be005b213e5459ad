import { isEventLogError, openWithRetry } from '@refledger/event-log';
import type { Engines } from './config/engines.js';
import { ConfigError, readConfig, type Config } from './config/config.js';
import { Health } from './health.js';
import { newLogger, type Logger } from './logger.js';
import { newMetrics, type Metrics } from './metrics.js';
import { boundOldGeneration } from './old-generation.js';
import { startOpsServer } from './ops-server.js';
import { closeOnSignals } from './shutdown.js';
import { startFailure } from './start-failure.js';

export type DistributedEngines = Extract<Engines, { mode: 'distributed' }>;

/** What a role that runs as a service of its own is given. */
export interface ServiceContext {
  readonly config: Config & {
    readonly engines: DistributedEngines;
    readonly bootstrapApiKey: string;
    readonly secretsKeys: readonly Buffer[];
  };
  readonly logger: Logger;
  readonly metrics: Metrics;
  readonly health: Health;
  /** Opens an engine; one that can't be reached again and again, with growing pauses, which health and log say. Throws what waiting does not mend. */
  readonly open: <T>(engine: () => Promise<T>) => Promise<T>;
}

export interface RunningRole {
  /** Where it can be reached, if it can. */
  readonly url?: string;
  /** Brings figures up to date that are looked up only when the metrics are asked for. */
  readonly measure?: () => void;
  close(): Promise<void>;
}

/**
 * Runs one role as a process of its own, on the distributed engines: configuration, health and metrics, an end in good order. Health answers from
 * the beginning, so that a service that waits for its engines is alive and not ready. Prints one line once the role runs; what ends the start is said in words.
 */
export const runService = async (
  role: string,
  start: (context: ServiceContext) => Promise<RunningRole>,
): Promise<void> => {
  boundOldGeneration();
  try {
    const config = distributed(role, readConfig(process.env));
    const logger = newLogger(config.logLevel, role);
    const metrics = newMetrics();
    const health = new Health([role]);
    const ending = new AbortController();
    const started: { running?: RunningRole } = {};

    const ops =
      config.opsPort === undefined
        ? undefined
        : await startOpsServer({
            port: config.opsPort,
            host: config.http.host,
            health,
            metrics: () => {
              started.running?.measure?.();
              return metrics.registry.metrics();
            },
          });
    closeOnSignals(async () => {
      ending.abort();
      await Promise.all([started.running?.close(), ops?.close()]);
    }, logger);

    const running = (started.running = await start({
      config,
      logger,
      metrics,
      health,
      open: openIn({ role, health, logger, signal: ending.signal }),
    }));
    if (ending.signal.aborted) return;
    process.stdout.write(
      `Refledger's ${role} is ready${running.url === undefined ? '' : ` at ${running.url}`}${ops === undefined ? '' : `, health and metrics at ${ops.url}`}\n`,
    );
  } catch (error) {
    process.stderr.write(
      `Refledger's ${role} could not start: ${startFailure(error) ?? (error instanceof Error ? error.stack : String(error))}\n`,
    );
    process.exit(1);
  }
};

const openIn =
  ({
    role,
    health,
    logger,
    signal,
  }: Pick<ServiceContext, 'health' | 'logger'> & {
    readonly role: string;
    readonly signal: AbortSignal;
  }): ServiceContext['open'] =>
  (engine) =>
    openWithRetry(engine, {
      isAway,
      signal,
      onWait: (error, waitMs) => {
        health.report({ part: role, ready: false, detail: `waiting: ${error.message}` });
        logger.warn({ wait_ms: waitMs, err: error }, 'an engine is away: trying again');
      },
    });

/** Whether trying again may mend it: all engines' errors say so in the same words. */
const isAway = (error: unknown): error is Error =>
  isEventLogError(error, 'unavailable', 'unknown_outcome') ||
  (error instanceof Error && 'kind' in error && error.kind === 'unavailable');

/** With these engines `readConfig` has seen to it that both secrets are there. */
const distributed = (role: string, config: Config): ServiceContext['config'] => {
  const { engines, bootstrapApiKey, secretsKeys } = config;
  if (
    engines.mode !== 'distributed' ||
    bootstrapApiKey === undefined ||
    secretsKeys === undefined
  ) {
    throw new ConfigError([
      `EVENT_LOG_URL, READ_STORE_URL and EVENT_BUS_URL must name the engines that the services share: ${role} runs by itself on EventStoreDB, MongoDB and Kafka only (on the embedded engines one process does everything: npm start)`,
    ]);
  }
  return { ...config, engines, bootstrapApiKey, secretsKeys };
};
