import 'reflect-metadata';
import { NestFactory } from '@nestjs/core';
import type { NestFastifyApplication } from '@nestjs/platform-fastify';
import { CommandHandler, type EventLog } from '@refledger/event-log';
import type { Config, Health, Logger, Metrics } from '@refledger/platform';
import type { ReadStore } from '@refledger/read-store';
import type { SecretBox } from '@refledger/webhooks';
import { ApiKeys } from './accounts/api-keys.js';
import { bootstrap, type KeepFirstKey } from './accounts/bootstrap.js';
import { KeyRegistry } from './accounts/key-registry.js';
import { readStoredKeys } from './accounts/restore-keys.js';
import { Consistency } from './consistency.js';
import { registerDocs } from './docs/docs.routes.js';
import { controllers, GatewayModule } from './gateway.module.js';
import { registerHealth } from './health/health.routes.js';
import type { Authentication } from './http/authenticate.js';
import { AuthFailures } from './http/auth-failures.js';
import { newFastify } from './http/fastify-gateway.js';
import { GatewayAdapter } from './http/gateway-adapter.js';
import { handlersOf } from './http/operation.decorator.js';
import { RateLimiter } from './http/rate-limiter.js';
import { registerOperations } from './http/register-operations.js';
import { ConcurrencyLimit } from './http/concurrency-limit.js';
import { PositionWaits } from './position-waits.js';
import { EndpointSnapshots } from './webhooks/endpoint-snapshots.js';

export interface GatewayOptions {
  readonly config: Config;
  readonly log: EventLog;
  readonly store: ReadStore;
  readonly secretBox: SecretBox;
  readonly logger: Logger;
  readonly metrics: Metrics;
  readonly health: Health;
  readonly keepFirstKey: KeepFirstKey;
  /** Awaited before requests are accepted. */
  readonly admit?: Promise<unknown>;
}

export interface Gateway {
  readonly url: string;
  /** Stops accepting requests and finishes those in progress. */
  close(): Promise<void>;
}

/** How long, in milliseconds, requests in progress may take to finish once the gateway closes. */
const finishWithinMs = 5_000;

/** Starts the HTTP interface. Resolves once it can serve. */
export const startGateway = async (options: GatewayOptions): Promise<Gateway> => {
  const { config, log, store, secretBox, logger, metrics, health, admit } = options;
  const { maxBodyBytes, port, host, consistencyTimeoutMs: timeoutMs } = config.http;
  const { registry, commands, keys } = await startCommands(options);
  const work = new ConcurrencyLimit(metrics);
  const waits = new PositionWaits({ work, metrics });
  const consistency = new Consistency({
    log,
    store,
    startedAt: await log.head(),
    waits,
    timeoutMs,
  });
  const { fastify, connections } = newFastify({
    authentication: authenticationOf(config.http, registry),
    work,
    logger,
    metrics,
    maxBodyBytes,
  });

  const module = GatewayModule.with({ config, store, secretBox, commands, keys, consistency });
  const app = await NestFactory.create<NestFastifyApplication>(
    module,
    new GatewayAdapter(fastify),
    { bodyParser: false, logger: false, abortOnError: false },
  );
  registerOperations(
    fastify,
    handlersOf(controllers.map((controller) => app.get<object>(controller))),
    { work, maxBodyBytes },
  );
  registerDocs(fastify);
  registerHealth(fastify, health);
  await admit;
  await app.listen(port, host);

  return {
    url: await app.getUrl(),
    close: async () => {
      connections.end(finishWithinMs);
      await app.close();
      await registry.close();
    },
  };
};

/**
 * The command handler, with the snapshots of keys and endpoints from the read models. Also creates
 * the account and the keys that every start ensures.
 */
const startCommands = async ({
  config,
  log,
  store,
  logger,
  health,
  keepFirstKey,
}: GatewayOptions): Promise<{
  readonly registry: KeyRegistry;
  readonly commands: CommandHandler;
  readonly keys: ApiKeys;
}> => {
  const registry = new KeyRegistry({
    log,
    logger,
    health,
    stored: () => readStoredKeys(log, store, logger),
  });
  const endpoints = new EndpointSnapshots(store, log.id, logger);
  const commands = new CommandHandler(log, {
    snapshotOf: async (decider, stream) =>
      (await registry.snapshotOf(decider, stream)) ?? endpoints.of(decider, stream),
  });
  const keys = new ApiKeys(log, commands, registry);
  await registry.start();
  await bootstrap(commands, keys, config.bootstrapApiKey, keepFirstKey);
  return { registry, commands, keys };
};

const authenticationOf = (
  { rateLimitPerMinute, authFailuresPerMinute }: Config['http'],
  keys: KeyRegistry,
): Authentication => ({
  keys,
  failures: new AuthFailures(authFailuresPerMinute),
  limiter: rateLimitPerMinute === 0 ? undefined : new RateLimiter(rateLimitPerMinute),
});
