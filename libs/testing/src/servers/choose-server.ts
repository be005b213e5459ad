import { spawnSync } from 'node:child_process';
import { installedDirectory, serverVersions } from './installed.js';
import type { Engine } from '../test-server.js';

/** The sources of a server for a suite. */
export type ServerSource =
  | { readonly from: 'environment'; readonly url: string }
  | { readonly from: 'container'; readonly image: string }
  | { readonly from: 'installed'; readonly directory: string };

/** The server that a suite gets, or why there is none. */
export type ServerChoice = ServerSource | { readonly from: 'nowhere'; readonly reason: string };

/** An engine whose server may be missing. EventStoreDB always has this library's double. */
export type OptionalEngine = Exclude<Engine, 'EventStoreDB'>;

/**
 * Chooses a server, in this order: a URL in the environment, a container whose image is present, a
 * server that the project has installed. `TEST_SERVERS=none` hides them all.
 */
export const chooseServer = (engine: OptionalEngine): ServerChoice => {
  const hosted = chooseHosted(engine);
  if (hosted !== undefined) return hosted;
  if (serversAreHidden())
    return { from: 'nowhere', reason: 'TEST_SERVERS=none hides every server' };
  const directory = installedDirectory(installed[engine]);
  if (directory !== undefined) return { from: 'installed', directory };
  const reason =
    `no ${engine} is available; run \`node tools/servers/prepare.mjs\` to install one, ` +
    `or name one in ${hosts[engine].variable}`;
  return { from: 'nowhere', reason };
};

/** Chooses an EventStoreDB as `chooseServer` does. If none is available, chooses the double. */
export const chooseEventStoreDb = ():
  Exclude<ServerSource, { from: 'installed' }> | { readonly from: 'double' } =>
  chooseHosted('EventStoreDB') ?? { from: 'double' };

const chooseHosted = (engine: Engine): Exclude<ServerSource, { from: 'installed' }> | undefined => {
  if (serversAreHidden()) return undefined;
  const { variable, image } = hosts[engine];
  const url = process.env[variable];
  if (url !== undefined && url !== '') return { from: 'environment', url };
  const inspect = spawnSync('docker', ['image', 'inspect', image], {
    stdio: 'ignore',
    timeout: 30_000,
  });
  return inspect.status === 0 ? { from: 'container', image } : undefined;
};

/** Whether `TEST_SERVERS=none` hides all servers. */
export const serversAreHidden = (): boolean => {
  const { TEST_SERVERS: wanted = '' } = process.env;
  if (wanted !== '' && wanted !== 'none')
    throw new Error(
      `TEST_SERVERS must be none or unset, but was ${wanted}. Unset it to use the available servers.`,
    );
  return wanted === 'none';
};

const { eventstoredb, mongodb, kafka } = serverVersions;

const hosts: Readonly<Record<Engine, { readonly variable: string; readonly image: string }>> = {
  EventStoreDB: { variable: 'TEST_EVENTSTOREDB_URL', image: eventstoredb.image },
  MongoDB: { variable: 'TEST_MONGODB_URL', image: mongodb.image },
  Kafka: { variable: 'TEST_KAFKA_BROKERS', image: kafka.image },
};

const installed: Readonly<Record<OptionalEngine, string>> = {
  MongoDB: `secantusdb-${mongodb.secantusdb}`,
  Kafka: `kafka-${kafka.version}`,
};
