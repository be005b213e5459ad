/// <reference types="jest" />
import type { OptionalEngine } from './choose-server.js';
import { describeWithServers } from './describe-with-servers.js';
import type { MongodbServerOptions } from './mongodb-server.js';
import type { Servers, ServerUse } from './servers.js';
import { nameOf, type TestServer } from '../test-server.js';

/**
 * Like `describeWithServers`, but with one server for the whole suite. It prints the name of that
 * server on the terminal.
 */
export const describeOnServer = (
  engine: OptionalEngine,
  title: string,
  suite: (server: () => TestServer) => void,
  { isDestructive = false, ...options }: MongodbServerOptions & ServerUse = {},
): void => {
  const onServer = (servers: Servers<OptionalEngine>): void => {
    let server: TestServer | undefined;
    beforeAll(async () => {
      server = await servers.start(engine, options);
      process.stderr.write(`${title}: ${nameOf(server)}\n`);
    });
    afterAll(() => server?.stop());
    suite(() => {
      if (server === undefined) throw new Error(`the ${engine} of this suite has not started`);
      return server;
    });
  };
  describeWithServers([engine], title, onServer, { isDestructive });
};
