import { freePort } from '../free-port.js';
import { startEventStoreDbDouble } from '../eventstoredb/double-process.js';
import { chooseEventStoreDb } from './choose-server.js';
import { startContainer } from './container-server.js';
import { environmentServer } from './environment-server.js';
import type { TestServer } from '../test-server.js';

/** Starts one node of EventStoreDB without TLS, or the double if none is available. */
export const startEventStoreDb = async (): Promise<TestServer> => {
  const choice = chooseEventStoreDb();
  const engine = 'EventStoreDB';
  switch (choice.from) {
    case 'environment':
      return environmentServer(engine, choice.url);
    case 'container': {
      const port = await freePort();
      return startContainer({
        engine,
        product: 'EventStoreDB',
        version: choice.image.split(':').at(-1) ?? '',
        url: `esdb://127.0.0.1:${port}?tls=false`,
        image: choice.image,
        port,
        command: ['--insecure', `--node-port=${port}`],
        ready: 'SPARTA',
      });
    }
    case 'double':
      return startEventStoreDbDouble();
  }
};

/**
 * Like `startEventStoreDb`, but for a server that a suite may end, kill and suspend: never the one
 * from the environment.
 */
export const startDisposableEventStoreDb = (): Promise<TestServer> =>
  chooseEventStoreDb().from === 'environment' ? startEventStoreDbDouble() : startEventStoreDb();
