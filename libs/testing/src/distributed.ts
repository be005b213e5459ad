import { randomBytes } from 'node:crypto';
import { freePort } from './free-port.js';
import { RoleProcess, type ControlledRole } from './role-process.js';
import type { ServiceRole } from './service-process.js';
import { startEventStoreDb, startKafka, startMongodb, type TestServer } from './servers/index.js';
import type { EndSignal, Service } from './service.js';

export interface DistributedOptions {
  /** Settings beside those that the harness needs, for all services. */
  readonly env?: Readonly<Record<string, string>>;
  /** Without Kafka the dispatcher reads the event log itself, and there is no relay. */
  readonly bus?: 'kafka' | 'log';
}

export interface DistributedService extends Service {
  readonly roles: readonly ControlledRole[];
  readonly engines: readonly TestServer[];
  /** Resolves once every service says that it is ready. */
  ready(): Promise<void>;
  /** Starts one more of a role. */
  another(role: ServiceRole): Promise<FurtherRole>;
}

/** One more of a role than a service needs. */
export interface FurtherRole extends ControlledRole {
  /** Ends it in good order and for good. */
  leave(): Promise<void>;
}

/** Starts the four built services over engines of their own, and waits until all are ready: seen from outside it is one service. */
export const startDistributed = async ({ env = {}, bus = 'kafka' }: DistributedOptions = {}): Promise<DistributedService> => {
  const { eventLog, store, kafka, engines } = await startEngines(bus);
  const adminKey = env['BOOTSTRAP_API_KEY'] ?? randomBytes(24).toString('hex');
  const address = { HOST: '127.0.0.1', PORT: String(await freePort()) };
  const settings = {
    EVENT_LOG_URL: eventLog.url, READ_STORE_URL: store.url, EVENT_BUS_URL: kafka === undefined ? 'log:' : `kafka://${kafka.url}`,
    SECRETS_KEY: randomBytes(32).toString('base64'), BOOTSTRAP_API_KEY: adminKey, ...address,
    // what stands in for MongoDB in tests takes some hundred documents a second
    CONSISTENCY_TIMEOUT: '20s', ...env,
  };
  const roles: RoleProcess[] = [];
  const add = async (role: ServiceRole): Promise<RoleProcess> => {
    const added = new RoleProcess(role, { ...settings, OPS_PORT: String(await freePort()) });
    roles.push(added);
    await added.begun();
    return added;
  };
  const ofAllRoles = async (act: (role: RoleProcess) => Promise<void>): Promise<void> => void (await Promise.all(roles.map(act)));
  const ready = (): Promise<void> => ofAllRoles((role) => role.ready());
  const end = (signal: EndSignal): Promise<void> => ofAllRoles((role) => role.end(signal));
  const stopEngines = async (): Promise<void> => void (await Promise.all(engines.map((engine) => engine.stop())));
  const start = async (): Promise<void> => {
    await ofAllRoles((role) => role.start());
    await ready();
  };
  try {
    await Promise.all((['gateway', 'projector', 'webhook-dispatcher', ...(bus === 'kafka' ? (['relay'] as const) : [])] as const).map(add));
    await ready();
  } catch (error) {
    await end('SIGKILL').finally(stopEngines);
    throw error;
  }
  return {
    baseUrl: `http://${address.HOST}:${address.PORT}`, adminKey, roles, engines, ready, start,
    stop: () => end('SIGTERM').finally(stopEngines),
    another: async (role) => {
      const further = await add(role);
      const leave = async (): Promise<void> => {
        roles.splice(roles.indexOf(further), 1);
        await further.end('SIGTERM');
      };
      return Object.assign(further, { leave });
    },
    restart: async (signal = 'SIGTERM') => {
      await end(signal);
      await start();
    },
    kill: () => end('SIGKILL'),
    signal: (signal) => roles.forEach((role) => role.signal(signal)),
    logs: () => roles.map((role) => role.logs()).join(''),
  };
};

/** All, or none that is left running. */
const startEngines = async (bus: DistributedOptions['bus']) => {
  const starts = [startEventStoreDb(), startMongodb(), ...(bus === 'kafka' ? [startKafka()] : [])];
  const engines = (await Promise.allSettled(starts)).flatMap((start) => (start.status === 'fulfilled' ? [start.value] : []));
  try {
    const [eventLog, store, kafka] = (await Promise.all(starts)) as [TestServer, TestServer, TestServer?];
    return { eventLog, store, kafka, engines };
  } catch (error) {
    await Promise.all(engines.map((engine) => engine.stop()));
    throw error;
  }
};
