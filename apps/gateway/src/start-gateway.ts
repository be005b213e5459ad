import 'reflect-metadata';
import { NestFactory } from '@nestjs/core';
import type { NestFastifyApplication } from '@nestjs/platform-fastify';
import { CommandHandler, Consistency, snapshotsFor } from '@refledger/application';
import { apiKeysDecider, webhookEndpointsDecider } from '@refledger/domain';
import type { EventLog } from '@refledger/event-log';
import {
  outgoingOff,
  type Config,
  type Health,
  type Logger,
  type Metrics,
} from '@refledger/platform';
import { ApiKeys } from './accounts/api-keys.js';
import { bootstrap, type KeepFirstKey } from './accounts/bootstrap.js';
import { KeyUseRecorder } from './accounts/key-use-recorder.js';
import { KeyRegistry } from './accounts/key-registry.js';
import { readStoredKeys } from './accounts/restore-keys.js';
import { registerDocs } from './docs/docs.routes.js';
import { registerHome } from './docs/home.routes.js';
import type { GatewayParts } from './gateway-parts.js';
import { controllers, GatewayModule } from './gateway.module.js';
import { registerHealth } from './health/health.routes.js';
import type { Authentication } from './http/authenticate.js';
import { AuthFailures } from './http/limits/auth-failures.js';
import { newFastify } from './http/fastify-gateway.js';
import { GatewayAdapter } from './http/gateway-adapter.js';
import { handlersOf } from './http/operation.decorator.js';
import { RateLimiter } from './http/limits/rate-limiter.js';
import { registerOperations } from './http/register-operations.js';
import { ConcurrencyLimit } from './http/limits/concurrency-limit.js';
import { PositionWaits } from './http/limits/position-waits.js';
import { openDeliveryReader, openDeliveryStore } from '@refledger/webhooks';
import { Deliveries } from './webhooks/deliveries.js';
import { EndpointSnapshots } from './webhooks/endpoint-snapshots.js';

/** What the gateway runs on; the caller opens and closes the engines. */
export interface GatewayOptions extends Pick<GatewayParts, 'config' | 'store' | 'secretBox'> {
  readonly log: EventLog;
  readonly logger: Logger;
  readonly metrics: Metrics;
  readonly health: Health;
  readonly keepFirstKey: KeepFirstKey;
  /** Whether anything is sent. By default `config` alone decides. */
  readonly outgoing?: GatewayParts['outgoing'];
  /** Awaited before requests are accepted. */
  readonly admit?: Promise<unknown>;
  /** What requests in progress may take once the gateway closes. Only tests pass others. */
  readonly graceMs?: typeof defaultGraceMs;
}

/** How long, in milliseconds, requests may wait for a position, and how long they may take. */
const defaultGraceMs = { toWait: 4_000, toFinish: 5_000 };

/** A running gateway. */
export interface Gateway {
  readonly url: string;
  /** Whether requests with this API key are accepted, as far as this gateway has read the log. */
  accepts(key: string): boolean;
  /** Stops accepting requests and finishes those in progress. */
  close(): Promise<void>;
}

/** Starts the HTTP interface. Resolves once it can serve. */
export const startGateway = async (options: GatewayOptions): Promise<Gateway> => {
  const { config, log, store, logger, metrics, health, admit } = options;
  const { graceMs = defaultGraceMs, outgoing = outgoingOf(config) } = options;
  const { maxBodyBytes, maxImportBytes, consistencyTimeoutMs: timeoutMs } = config.http;
  requireLog(health, log);
  const started = await startCommands(options);
  const work = new ConcurrencyLimit(metrics);
  const waits = new PositionWaits({ work, metrics });
  const startedAt = await log.head();
  const consistency = new Consistency({ log, store, startedAt, waits, timeoutMs });
  const { fastify, connections } = newFastify({
    authentication: authenticationOf(config.http, started),
    work,
    logger,
    metrics,
    maxBodyBytes,
  });

  const deliveries = deliveriesOf(config, started.commands);
  const module = GatewayModule.with({
    ...options,
    ...started,
    consistency,
    waits,
    work,
    deliveries,
    outgoing,
  });
  const app = await NestFactory.create<NestFastifyApplication>(
    module,
    new GatewayAdapter(fastify),
    { bodyParser: false, logger: false, abortOnError: false },
  );
  registerOperations(
    fastify,
    handlersOf(controllers.map((controller) => app.get<object>(controller))),
    { work, maxBodyBytes, maxImportBytes },
  );
  registerDocs(fastify);
  registerHome(fastify);
  registerHealth(fastify, health);
  await admit;
  await app.listen(config.http.port, config.http.host);

  return {
    url: await app.getUrl(),
    accepts: (key) => started.registry.known(key) !== undefined,
    close: async () => {
      connections.end(graceMs.toFinish);
      // a payout may wait longer than that for the ledger, which ends, too
      const tooLate = setTimeout(() => waits.end(), graceMs.toWait);
      await app.close();
      clearTimeout(tooLate);
      await deliveries.close();
    },
  };
};

const deliveriesOf = ({ dataDir, engines }: Config, commands: CommandHandler): Deliveries =>
  new Deliveries({
    open: () => openDeliveryReader(engines.deliveryStoreUrl, { dataDir }),
    openRequests: () => openDeliveryStore(engines.deliveryStoreUrl, { dataDir }),
    commands,
  });

/** Whether anything is sent, by the settings alone. */
const outgoingOf = (config: Config): GatewayParts['outgoing'] => ({ blocked: outgoingOff(config) });

/** The gateway is ready while its last append to the log, and its last read, succeeded. */
const requireLog = (health: Health, { availability }: EventLog): void =>
  health.require('gateway', () => {
    const failure = availability?.failure;
    return failure === undefined ? undefined : `the event log is unavailable: ${failure}`;
  });

/**
 * The command handler, with the snapshots of keys and endpoints from the read models, and what
 * recognizes keys. Also creates
 * the account and the keys that every start ensures.
 */
const startCommands = async ({
  config,
  log,
  store,
  logger,
  health,
  keepFirstKey,
}: GatewayOptions): Promise<Pick<GatewayParts, 'registry' | 'commands' | 'keys' | 'uses'>> => {
  const stored = () => readStoredKeys(log, store, logger);
  const registry = new KeyRegistry({ log, logger, health, stored });
  const endpoints = new EndpointSnapshots(store, log.id, logger);
  const ofKeys = snapshotsFor(apiKeysDecider, (stream) => registry.snapshot(stream));
  const ofEndpoints = snapshotsFor(webhookEndpointsDecider, (stream) => endpoints.of(stream));
  const commands = new CommandHandler(log, {
    snapshotOf: async (decider, stream) =>
      (await ofKeys(decider, stream)) ?? ofEndpoints(decider, stream),
  });
  const keys = new ApiKeys(log, commands, registry);
  await registry.start();
  await bootstrap(commands, keys, config.bootstrapApiKey, keepFirstKey);
  return { registry, commands, keys, uses: new KeyUseRecorder({ store, logger }) };
};

const authenticationOf = (
  { rateLimitPerMinute, authFailuresPerMinute }: Config['http'],
  { registry, uses }: Pick<GatewayParts, 'registry' | 'uses'>,
): Authentication => ({
  keys: registry,
  uses,
  failures: new AuthFailures(authFailuresPerMinute),
  limiter: rateLimitPerMinute === 0 ? undefined : new RateLimiter(rateLimitPerMinute),
});
