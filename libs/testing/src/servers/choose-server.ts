import { spawnSync } from 'node:child_process';
import { installedFolder, serverVersions } from './installed.js';
import type { Engine } from './test-server.js';

/** Which server a suite will meet, or why there is none. */
export type ServerChoice =
  | { readonly from: 'environment'; readonly url: string }
  | { readonly from: 'container'; readonly image: string }
  | { readonly from: 'installed'; readonly folder: string }
  | { readonly from: 'double' }
  | { readonly from: 'nowhere'; readonly reason: string };

/** The order of choice for every server: a URL in the environment, a container whose image is there, one that the project has installed, and for EventStoreDB alone the double. */
export const chooseServer = (engine: Engine): ServerChoice => {
  const { variable, image, installed } = known[engine];
  const url = process.env[variable];
  if (url !== undefined && url !== '') return { from: 'environment', url };
  if (spawnSync('docker', ['image', 'inspect', image], { stdio: 'ignore', timeout: 30_000 }).status === 0) return { from: 'container', image };
  if (installed === undefined) return { from: 'double' };
  const folder = installedFolder(installed);
  return folder === undefined ? { from: 'nowhere', reason: `no ${engine} is there: \`node tools/servers/prepare.mjs\` installs one, or says what it lacks; or name one in ${variable}` } : { from: 'installed', folder };
};

const known: Readonly<Record<Engine, { readonly variable: string; readonly image: string; readonly installed?: string }>> = {
  EventStoreDB: { variable: 'TEST_EVENTSTOREDB_URL', image: serverVersions.eventstoredb.image },
  MongoDB: { variable: 'TEST_MONGODB_URL', image: serverVersions.mongodb.image, installed: `secantusdb-${serverVersions.mongodb.secantusdb}` },
  Kafka: { variable: 'TEST_KAFKA_BROKERS', image: serverVersions.kafka.image, installed: `kafka-${serverVersions.kafka.version}` },
};
