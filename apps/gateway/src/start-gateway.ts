import 'reflect-metadata';
import type { ValueProvider } from '@nestjs/common';
import { NestFactory } from '@nestjs/core';
import type { NestFastifyApplication } from '@nestjs/platform-fastify';
import type { LoadOrCreateFirstKey } from '@refledger/application';
import type { EventLog } from '@refledger/event-log';
import type { KeyStore } from '@refledger/key-store';
import {
  outgoingOff,
  type Config,
  type Health,
  type Logger,
  type Metrics,
} from '@refledger/platform';
import { Deliveries, KeyRegistry, KeyUseRecorder, readStoredKeys } from '@refledger/queries';
import type { ReadStore } from '@refledger/read-store';
import type { SecretBox } from '@refledger/sealing';
import type { Outgoing } from '@refledger/webhook-endpoints';
import { registerDocs } from './docs/docs.routes.js';
import { registerHome } from './http/home.routes.js';
import { GatewayModule } from './gateway.module.js';
import { registerHealth, requireLog } from './health/health.routes.js';
import { authenticationBy } from './http/authenticate.js';
import { newFastify } from './http/fastify-gateway.js';
import { GatewayAdapter } from './http/gateway-adapter.js';
import { handlersOf } from './http/operation.decorator.js';
import { registerOperations } from './http/register-operations.js';
import { ConcurrencyLimit } from './http/limits/concurrency-limit.js';
import { PositionWaits } from './http/limits/position-waits.js';
import { provideValue } from './provide.js';
import {
  configToken,
  eventLogToken,
  keyStoreToken,
  loadOrCreateFirstKeyToken,
  loggerToken,
  metricsToken,
  outgoingToken,
  readStoreToken,
  secretBoxToken,
} from './tokens.js';

/** What the gateway runs on; the caller opens and closes the engines. */
export interface GatewayOptions {
  readonly config: Config;
  readonly log: EventLog;
  readonly store: ReadStore;
  readonly keyStore: Pick<KeyStore, 'getMany' | 'put' | 'destroy'>;
  readonly secretBox: SecretBox;
  readonly logger: Logger;
  readonly metrics: Metrics;
  readonly health: Health;
  readonly loadOrCreateFirstKey: LoadOrCreateFirstKey;
  /** Whether anything is sent. By default `config` alone decides. */
  readonly outgoing?: Pick<Outgoing, 'blocked'>;
  /** Awaited before requests are accepted. */
  readonly admit?: Promise<unknown>;
  /** What requests in progress may take once the gateway closes. Only tests pass others. */
  readonly graceMs?: typeof defaultGraceMs;
}

/** How long, in milliseconds, requests may wait for a position, and how long they may take. */
const defaultGraceMs = { toWait: 4_000, toFinish: 5_000 };

export interface Gateway {
  readonly url: string;
  /** Whether requests with this API key are accepted, as far as this gateway has read the log. */
  accepts(key: string): boolean;
  /** Stops accepting requests and finishes those in progress. */
  close(): Promise<void>;
}

/** Starts the HTTP interface. Resolves once it can serve. */
export const startGateway = async (options: GatewayOptions): Promise<Gateway> => {
  const { config, log, store, logger, metrics, health, admit, graceMs = defaultGraceMs } = options;
  const { maxBodyBytes, maxImportBytes } = config.http;
  requireLog(health, log);
  const stored = () => readStoredKeys(log, store, logger);
  const registry = new KeyRegistry({ log, logger, health, stored });
  await registry.start();
  const uses = new KeyUseRecorder({ store, logger });
  const work = new ConcurrencyLimit(metrics);
  const authentication = authenticationBy({ keys: registry, uses }, config.http);
  const parts = { authentication, work, logger, metrics, maxBodyBytes };
  const { fastify, connections } = newFastify(parts);

  const app = await NestFactory.create<NestFastifyApplication>(
    GatewayModule.forRoot([
      ...valuesOf(options),
      provideValue(KeyRegistry, registry),
      provideValue(KeyUseRecorder, uses),
      provideValue(ConcurrencyLimit, work),
    ]),
    new GatewayAdapter(fastify),
    { bodyParser: false, logger: false, abortOnError: false },
  );
  registerOperations(fastify, handlersOf(app), { work, maxBodyBytes, maxImportBytes });
  registerDocs(fastify);
  registerHome(fastify);
  registerHealth(fastify, health);
  await admit;
  await app.listen(config.http.port, config.http.host);

  return {
    url: await app.getUrl(),
    accepts: (key) => registry.known(key) !== undefined,
    close: async () => {
      connections.end(graceMs.toFinish);
      // a payout may wait longer than that for the ledger, which ends, too
      const tooLate = setTimeout(() => app.get(PositionWaits).end(), graceMs.toWait);
      await app.close();
      clearTimeout(tooLate);
      // the last requests have been answered
      await Promise.all([registry.close(), uses.close()]);
      await app.get(Deliveries).close();
    },
  };
};

/** What the caller opened and created. */
const valuesOf = (options: GatewayOptions): ValueProvider[] => {
  const { config, outgoing = { blocked: outgoingOff(config) } } = options;
  return [
    provideValue(configToken, config),
    provideValue(eventLogToken, options.log),
    provideValue(readStoreToken, options.store),
    provideValue(keyStoreToken, options.keyStore),
    provideValue(secretBoxToken, options.secretBox),
    provideValue(outgoingToken, outgoing),
    provideValue(loadOrCreateFirstKeyToken, options.loadOrCreateFirstKey),
    provideValue(metricsToken, options.metrics),
    provideValue(loggerToken, options.logger),
  ];
};
