import { join } from 'node:path';
import { freePort } from '../free-port.js';
import { scaledTimeout } from '../wait.js';
import type { ServerSource } from './choose-server.js';
import { startContainer, type ContainerServer } from './container-server.js';
import { environmentServer } from './environment-server.js';
import { serverVersions } from './installed.js';
import { startInstalled, type InstalledServer } from '../processes/installed-server.js';
import { listens } from './listens.js';
import type { TestServer } from '../test-server.js';

export interface MongodbServerOptions {
  /**
   * Whether to start a standalone server; otherwise a replica set of one, except with
   * TEST_MONGODB=standalone. It has no effect on a server from the environment.
   */
  readonly standalone?: boolean;
}

/**
 * Starts a server that speaks MongoDB's protocol: MongoDB itself, or SecantusDB where the project
 * installed it.
 */
export const startMongodb = async (
  choice: ServerSource,
  { standalone = process.env['TEST_MONGODB'] === 'standalone' }: MongodbServerOptions = {},
): Promise<TestServer> => {
  const port = await freePort();
  switch (choice.from) {
    case 'environment':
      return environmentServer('MongoDB', choice.url);
    case 'container':
      return startContainer(mongodbContainer(choice.image, port, standalone));
    case 'installed':
      return startInstalled(installedSecantusdb(choice.directory, port, standalone));
  }
};

const mongodbContainer = (image: string, port: number, standalone: boolean): ContainerServer => ({
  engine: 'MongoDB',
  product: 'MongoDB',
  version: image.split(':').at(-1) ?? '',
  url: urlOf(port, standalone ? undefined : 'rs0'),
  image,
  port,
  command: [
    'mongod',
    '--bind_ip_all',
    '--port',
    String(port),
    ...(standalone ? [] : ['--replSet', 'rs0']),
  ],
  afterFirstStart: standalone ? [] : initiateReplicaSet(port),
  ready: 'Waiting for connections',
});

/**
 * Returns the command that initiates the replica set. The set names its member by this address,
 * which must be right both inside and outside the container.
 */
const initiateReplicaSet = (port: number): string[] => [
  'mongosh',
  '--quiet',
  '--port',
  String(port),
  '--eval',
  `rs.initiate({ _id: 'rs0', members: [{ _id: 0, host: '127.0.0.1:${port}' }] }); while (!db.hello().isWritablePrimary) sleep(50)`,
];

const installedSecantusdb = (
  directory: string,
  port: number,
  standalone: boolean,
): InstalledServer => ({
  engine: 'MongoDB',
  product: standalone ? 'SecantusDB, standalone,' : 'SecantusDB',
  version: serverVersions.mongodb.secantusdb,
  from: 'installed',
  url: urlOf(port, standalone ? undefined : 'secantus'),
  command: (dataDirectory) =>
    Promise.resolve({
      command: join(directory, 'bin/secantusd-py'),
      args: [
        '--host',
        '127.0.0.1',
        '--port',
        String(port),
        '--storage-path',
        dataDirectory,
        '--sync-on-commit',
        '--log-level',
        'WARNING',
        ...(standalone ? ['--standalone'] : []),
      ],
      serves: () => listens(port),
      // While it shuts down on SIGTERM, it tells monitors that it belongs to no set, and then the
      // driver gives up on its only member permanently.
      endSignal: 'SIGKILL',
    }),
});

const urlOf = (port: number, replicaSet: string | undefined): string =>
  `mongodb://127.0.0.1:${port}/${replicaSet === undefined ? '' : `?replicaSet=${replicaSet}`}`;

/** Returns the URL of a database on this server, with `options` added to the URL's own. */
export const databaseUrl = (
  url: string,
  database: string,
  options: Readonly<Record<string, string>> = {},
): string => {
  const [address = '', query = ''] = url.split('?');
  const [, servers = address] = /^(mongodb(?:\+srv)?:\/\/[^/]+)/.exec(address) ?? [];
  const all = new URLSearchParams({
    socketTimeoutMS: String(scaledTimeout(30_000)),
    ...Object.fromEntries(new URLSearchParams(query)),
    ...options,
  }).toString();
  return `${servers}/${database}${all === '' ? '' : `?${all}`}`;
};
