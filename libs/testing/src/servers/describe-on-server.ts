/// <reference types="jest" />
import { describeWithServer } from './describe-with-server.js';
import { startEventStoreDb } from './eventstoredb-server.js';
import { startKafka } from './kafka-server.js';
import { startMongodb, type MongodbServerOptions } from './mongodb-server.js';
import { nameOf, type Engine, type TestServer } from './test-server.js';

/** As `describeWithServer`, on one server for the whole suite, which says on the terminal what it met. */
export const describeOnServer = (engine: Engine, title: string, suite: (server: () => TestServer) => void, options: MongodbServerOptions = {}): void =>
  describeWithServer(engine, title, () => {
    let server: TestServer;
    beforeAll(async () => {
      server = await start(engine, options);
      process.stderr.write(`${title}: ${nameOf(server)}${options.standalone === true ? ', standalone' : ''}\n`);
    });
    afterAll(() => server.stop());
    suite(() => server);
  });

const start = (engine: Engine, options: MongodbServerOptions): Promise<TestServer> => {
  switch (engine) {
    case 'EventStoreDB': return startEventStoreDb();
    case 'Kafka': return startKafka();
    case 'MongoDB': return startMongodb(options);
  }
};
