import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { reservePort } from '../reserve-port.js';
import { startInstalled } from '../processes/installed-server.js';
import type { ServerCommand } from '../processes/server-process.js';
import type { TestServer } from '../test-server.js';
import { waitFor } from '../wait.js';
import { DoubleStore } from './sqlite/double-store.js';

export interface DoubleProcessOptions {
  /** PEM files. Without them there is no TLS, and clients send no credentials. */
  readonly tls?: { readonly key: string; readonly certificate: string };
  /** `user:password`. When given, clients must send it. */
  readonly login?: string;
  /** How many events a live subscriber may be behind before it is cut off. */
  readonly liveBuffer?: number;
  /**
   * Each event whose position is a multiple of this is followed by a system event: about one event
   * in this many. 0 means never.
   */
  readonly noiseEvery?: number;
  /**
   * How long an append takes to be committed, in milliseconds. Until then, a repeat of it times
   * out.
   */
  readonly commitAfterMs?: number;
  /** Another double, whose file this one shares: together they are a cluster. */
  readonly shares?: DoubleServer;
}

export interface DoubleServer extends TestServer {
  /** `host:port` */
  readonly address: string;
  /** The file that holds its data. */
  readonly file: string;
  /**
   * Makes this double the leader of those that share its file. At first none is named as the
   * leader, so each believes that it leads.
   */
  lead(): void;
  /**
   * From now on no double that shares its file leads, and the calls that follow them end one after
   * the other.
   */
  loseLeader(): void;
  /**
   * From now on no double that shares its file leads, and each names a leader other than itself.
   */
  nameDifferentLeader(): void;
  /**
   * Suspends the double as `pause` does, but while it holds no lock on the file, so the others keep
   * running. Resolves once it is suspended.
   */
  suspend(): Promise<void>;
  /**
   * Makes the double believe that it leads, although it receives nothing new: an append times out.
   */
  stopReplicating(): void;
  /** Brings the double up to date again, so that it knows who leads. */
  catchUp(): void;
}

const entryPoint = fileURLToPath(
  new URL('../../../../bundle/eventstoredb-double.js', import.meta.url),
);

/** Runs a double of EventStoreDB as its own process. */
export const startEventStoreDbDouble = async (
  options: DoubleProcessOptions = {},
): Promise<DoubleServer> => {
  const double = new DoubleCommand(options);
  const server = await startInstalled({
    engine: 'EventStoreDB',
    product: 'a double of EventStoreDB',
    version: '23.10',
    from: 'double',
    url: () => `esdb://${double.address}?tls=${options.tls !== undefined}`,
    command: (dataDirectory) => Promise.resolve(double.keepsDataIn(dataDirectory)),
  });
  const { address, file } = double;
  return { ...server, address, file, ...clusterControls(file, address) };
};

/** How to run a double. Its first start chooses the port, which the later ones keep. */
class DoubleCommand implements ServerCommand {
  readonly command = process.execPath;
  file = '';
  private port = 0;

  constructor(private readonly options: DoubleProcessOptions) {}

  keepsDataIn(directory: string): this {
    this.file = this.options.shares?.file ?? join(directory, 'double.db');
    return this;
  }

  get address(): string {
    return `127.0.0.1:${this.port}`;
  }

  get args(): readonly string[] {
    const own = ['--file', this.file, '--port', String(this.port)];
    return [entryPoint, ...own, ...settings(this.options)];
  }

  serves(printed: string): boolean {
    const [, port] = /^ready at 127\.0\.0\.1:(\d+)\n/m.exec(printed) ?? [];
    if (port !== undefined) this.port = Number(port);
    return port !== undefined;
  }

  ended(): Promise<void> {
    return reservePort(this.port);
  }
}

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
  'lead' | 'loseLeader' | 'nameDifferentLeader' | 'suspend' | 'stopReplicating' | 'catchUp'
>;

/** A double obeys its file, so it is controlled by writes to that file. */
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
    // the same double, by a name that it does not recognize as its own
    nameDifferentLeader: inStore(({ cluster }) =>
      cluster.lead(address.replace('127.0.0.1', 'localhost')),
    ),
    suspend: async () => {
      inStore(({ cluster }) => cluster.suspend(address))();
      await waitFor(inStore(({ cluster }) => cluster.isSuspended(address)));
    },
    stopReplicating: inStore((store) => store.stopReplicating(address)),
    catchUp: inStore(({ cluster }) => cluster.catchUp(address)),
  };
};
