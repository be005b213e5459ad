import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { freePort } from '../free-port.js';
import { startInstalled } from '../servers/installed-server.js';
import type { TestServer } from '../servers/test-server.js';
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
}

const entryPoint = fileURLToPath(new URL('../../dist/eventstoredb/main.js', import.meta.url));

/** Runs a double of EventStoreDB as a process of its own. */
export const startEventStoreDbDouble = async ({ tls, login, liveBuffer, noiseEvery, shares }: DoubleProcessOptions = {}): Promise<DoubleServer> => {
  const port = await freePort();
  const address = `127.0.0.1:${port}`;
  let file = shares?.file ?? '';
  const server = await startInstalled({
    engine: 'EventStoreDB', product: 'a double of EventStoreDB', version: '23.10', from: 'double', url: `esdb://${address}?tls=${tls !== undefined}`,
    command: (dataFolder) => {
      if (file === '') file = join(dataFolder, 'double.db');
      return Promise.resolve({
        command: process.execPath,
        args: [
          entryPoint, '--file', file, '--port', String(port),
          ...(tls === undefined ? [] : ['--tls-key', tls.key, '--tls-certificate', tls.certificate]),
          ...Object.entries({ login, 'live-buffer': liveBuffer, 'noise-every': noiseEvery }).flatMap(([name, value]) => (value === undefined ? [] : [`--${name}`, String(value)])),
        ],
        serves: (printed) => /^ready at /m.test(printed),
      });
    },
  });
  const lead = (): void => {
    const store = new DoubleStore(file, 0);
    store.lead(address);
    store.close();
  };
  return { ...server, address, file, lead };
};
