import { startEventStoreDb, type TestServer } from '@refledger/testing/servers';
import { eventLogConformance } from '../conformance/index.js';
import { openEventStoreDbEventLog } from './index.js';

let server: TestServer;
beforeAll(async () => {
  server = await startEventStoreDb();
});
afterAll(() => server.stop());

eventLogConformance('EventStoreDB', () =>
  Promise.resolve({
    open: () => openEventStoreDbEventLog({ url: server.url }),
    remove: () => Promise.resolve(),
  }),
);
