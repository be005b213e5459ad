import { randomBytes } from 'node:crypto';
import { unusedPort } from '../reserve-port.js';
import { processorsCaughtUp } from './caught-up.js';
import type { ControlledRole } from './role-process.js';
import { RoleProcesses } from './role-processes.js';
import type { ServiceRole } from './service-process.js';
import { startEventStoreDb, type Servers, type TestServer } from '../servers/index.js';
import type { Service } from '../service.js';
import { startTogether } from '../start-together.js';
import { scaledTimeout } from '../wait.js';

export interface DistributedOptions {
  /** Settings for all services, besides those that the harness needs. */
  readonly env?: Readonly<Record<string, string>>;
  /** Starts the event log. Default: one node of EventStoreDB. */
  readonly startEventLog?: () => Promise<TestServer>;
}

/** The service as several processes over their engines. */
export interface DistributedService extends Service {
  readonly roles: readonly ControlledRole[];
  readonly engines: readonly TestServer[];
  /** Resolves once every service reports that it is ready. */
  ready(): Promise<void>;
  /** Starts another process of a role. `env` overrides settings. */
  startAnother(role: ServiceRole, env?: Readonly<Record<string, string>>): Promise<FurtherRole>;
}

/** Another process of a role, besides the one that the service needs. */
interface FurtherRole extends ControlledRole {
  /** Where it listens, if it is a gateway. */
  readonly baseUrl: string;
  /** Stops it cleanly and permanently. */
  leave(): Promise<void>;
}

/**
 * Starts the five built services over their own engines and waits until all are ready. Seen from
 * outside, they are one service.
 */
export const startDistributed = async (
  servers: Servers<'MongoDB' | 'Kafka'>,
  { startEventLog = startEventStoreDb, ...options }: DistributedOptions = {},
): Promise<DistributedService> => {
  const [eventLog, store, kafka] = await startTogether(
    startEventLog(),
    servers.start('MongoDB'),
    servers.start('Kafka'),
  );
  const urls = {
    EVENT_LOG_URL: eventLog.url,
    READ_STORE_URL: store.url,
    EVENT_BUS_URL: `kafka://${kafka.url}`,
  };
  return startRoles({
    others: ['projector', 'ledger', 'webhook-dispatcher', 'relay'],
    urls,
    engines: [eventLog, store, kafka],
    ...options,
  });
};

/**
 * Starts the services as `startDistributed` does, but without Kafka: the dispatcher reads the event
 * log itself, and there is no relay.
 */
export const startDistributedOverLogBus = async (
  servers: Servers<'MongoDB'>,
  { startEventLog = startEventStoreDb, ...options }: DistributedOptions = {},
): Promise<DistributedService> => {
  const [eventLog, store] = await startTogether(startEventLog(), servers.start('MongoDB'));
  const urls = { EVENT_LOG_URL: eventLog.url, READ_STORE_URL: store.url, EVENT_BUS_URL: 'log:' };
  return startRoles({
    others: ['projector', 'ledger', 'webhook-dispatcher'],
    urls,
    engines: [eventLog, store],
    ...options,
  });
};

/**
 * Starts the gateway over an event log and a key store alone. The gateway serves writes and single
 * records, and never becomes ready.
 */
export const startGatewayWithoutReadStore = async (
  servers: Servers<'MongoDB'>,
  options: DistributedOptions = {},
): Promise<DistributedService> => {
  const [eventLog, keys] = await startTogether(startEventStoreDb(), servers.start('MongoDB'));
  const nobody = `mongodb://127.0.0.1:${await unusedPort()}/?serverSelectionTimeoutMS=200`;
  const urls = {
    EVENT_LOG_URL: eventLog.url,
    READ_STORE_URL: nobody,
    KEY_STORE_URL: keys.url,
    EVENT_BUS_URL: 'log:',
  };
  return startRoles({
    others: [],
    urls,
    engines: [eventLog, keys],
    waitUntilReady: false,
    ...options,
  });
};

type EngineUrls = Readonly<Record<'EVENT_LOG_URL' | 'READ_STORE_URL' | 'EVENT_BUS_URL', string>> & {
  readonly KEY_STORE_URL?: string;
};

interface Roles extends DistributedOptions {
  /** The roles besides the gateway. */
  readonly others: readonly ServiceRole[];
  readonly urls: EngineUrls;
  readonly engines: readonly TestServer[];
  readonly waitUntilReady?: boolean;
}

const startRoles = async ({
  others,
  urls,
  engines,
  waitUntilReady = true,
  env = {},
}: Roles): Promise<DistributedService> => {
  const adminKey = env['BOOTSTRAP_API_KEY'] ?? randomBytes(24).toString('hex');
  const settings = {
    ...urls,
    SECRETS_KEY: randomBytes(32).toString('base64'),
    BOOTSTRAP_API_KEY: adminKey,
    // the substitute for MongoDB in tests handles only a few hundred documents per second
    CONSISTENCY_TIMEOUT: `${scaledTimeout(20_000)}ms`,
    PAYOUT_CONSISTENCY_TIMEOUT: `${scaledTimeout(30_000)}ms`,
    ...env,
  };
  const roles = new RoleProcesses(settings, waitUntilReady);
  const stopEngines = async (): Promise<void> =>
    void (await Promise.all(engines.map((engine) => engine.stop())));
  let baseUrl: string;
  try {
    const gateway = roles.add('gateway');
    await Promise.all([gateway, ...others.map((role) => roles.add(role))]);
    await roles.ready();
    ({ baseUrl } = await gateway);
  } catch (error) {
    await roles.end('SIGKILL').finally(stopEngines);
    throw error;
  }
  const startAnother: DistributedService['startAnother'] = async (role, own) => {
    const added = await roles.add(role, own);
    return Object.assign(added, { leave: () => roles.leave(added) });
  };
  let impatient: Promise<FurtherRole> | undefined;
  return {
    baseUrl,
    adminKey,
    roles: roles.all,
    engines,
    ready: () => roles.ready(),
    start: () => roles.start(),
    stop: () => roles.end('SIGTERM').finally(stopEngines),
    startAnother,
    impatient: () => (impatient ??= startAnother('gateway', { CONSISTENCY_TIMEOUT: '500ms' })),
    restart: async (signal = 'SIGTERM') => {
      await roles.end(signal);
      await roles.start();
    },
    kill: () => roles.end('SIGKILL'),
    signal: (signal) => roles.all.forEach((role) => role.signal(signal)),
    caughtUp: () => processorsCaughtUp({ baseUrl, adminKey }, roles.all),
    logs: () => roles.all.map((role) => role.logs()).join(''),
  };
};
