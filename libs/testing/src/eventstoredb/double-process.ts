import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { freePort } from '../free-port.js';
import { startInstalled } from '../servers/installed-server.js';
import type { TestServer } from '../servers/test-server.js';
import { until } from '../wait.js';
import { DoubleStore } from './sqlite/double-store.js';

export interface DoubleProcessOptions {
  /** PEM files; without them there is no TLS, and a client then sends no user. */
  readonly tls?: { readonly key: string; readonly certificate: string };
  /** `user:password`, needed when given. */
  readonly login?: string;
  /** How many events a live subscriber may be behind before it is cut off. */
  readonly liveBuffer?: number;
  /** Every about how many bytes of the log a system event is written; 0: never. */
  readonly noiseEvery?: number;
  /** How long an append takes until it is committed; the same one is dropped meanwhile. */
  readonly commitAfterMs?: number;
  /** The file of another double: together they are a cluster. */
  readonly shares?: DoubleServer;
}

export interface DoubleServer extends TestServer {
  /** `host:port` */
  readonly address: string;
  /** The file that holds its data. */
  readonly file: string;
  /** Makes this one the leader of those that share its file; none leads from the start, so that each takes itself for it. */
  lead(): void;
  /** From now on none of those that share its file leads, and what follows them ends, one after the other. */
  loseLeader(): void;
  /** From now on none of them leads, and each says that another does. */
  nameAnother(): void;
  /** As `pause`, but while it holds no lock of the file: the others go on. Resolves once it is still. */
  holdStill(): Promise<void>;
  /** It takes itself for the leader, and has nothing of what comes from now on: an append times out. */
  stayBehind(): void;
  /** It is up to date again, and knows who leads. */
  catchUp(): void;
}

const entryPoint = fileURLToPath(new URL('../../dist/eventstoredb/main.js', import.meta.url));

/** Runs a double of EventStoreDB as a process of its own. */
export const startEventStoreDbDouble = async (
  options: DoubleProcessOptions = {},
): Promise<DoubleServer> => {
  const port = await freePort();
  const address = `127.0.0.1:${port}`;
  let file = options.shares?.file ?? '';
  const server = await startInstalled({
    engine: 'EventStoreDB',
    product: 'a double of EventStoreDB',
    version: '23.10',
    from: 'double',
    url: `esdb://${address}?tls=${options.tls !== undefined}`,
    command: (dataFolder) => {
      if (file === '') file = join(dataFolder, 'double.db');
      return Promise.resolve({
        command: process.execPath,
        args: [entryPoint, '--file', file, '--port', String(port), ...settings(options)],
        serves: (printed) => /^ready at /m.test(printed),
      });
    },
  });
  return { ...server, address, file, ...clusterControls(file, address) };
};

const settings = ({
  tls,
  login,
  liveBuffer,
  noiseEvery,
  commitAfterMs,
}: DoubleProcessOptions): readonly string[] => [
  ...(tls === undefined ? [] : ['--tls-key', tls.key, '--tls-certificate', tls.certificate]),
  ...Object.entries({
    login,
    'live-buffer': liveBuffer,
    'noise-every': noiseEvery,
    'commit-after': commitAfterMs,
  }).flatMap(([name, value]) => (value === undefined ? [] : [`--${name}`, String(value)])),
];

type ClusterControls = Pick<
  DoubleServer,
  'lead' | 'loseLeader' | 'nameAnother' | 'holdStill' | 'stayBehind' | 'catchUp'
>;

/** A double does what its file says: it is told by writing there. */
const clusterControls = (file: string, address: string): ClusterControls => {
  const inStore =
    <T>(act: (store: DoubleStore) => T) =>
    (): T => {
      const store = new DoubleStore(file, 0);
      try {
        return act(store);
      } finally {
        store.close();
      }
    };
  return {
    lead: inStore(({ cluster }) => cluster.lead(address)),
    loseLeader: inStore(({ cluster }) => cluster.lead('')),
    // the same one, by a name that it does not know itself by
    nameAnother: inStore(({ cluster }) => cluster.lead(address.replace('127.0.0.1', 'localhost'))),
    holdStill: async () => {
      inStore(({ cluster }) => cluster.holdStill(address))();
      await until(inStore(({ cluster }) => cluster.isStill(address)));
    },
    stayBehind: inStore((store) => store.stayBehind(address)),
    catchUp: inStore(({ cluster }) => cluster.catchUp(address)),
  };
};
