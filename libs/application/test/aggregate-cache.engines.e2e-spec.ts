import { openEventStoreDbEventLog } from '@refledger/event-log/eventstoredb';
import { startEventStoreDb, type TestServer } from '@refledger/testing/servers';
import { aggregateCacheSuite } from './aggregate-cache.suite.js';

describe('the aggregate cache on EventStoreDB', () => {
  let server: TestServer;
  beforeAll(async () => void (server = await startEventStoreDb()));
  afterAll(() => server.stop());
  aggregateCacheSuite(() =>
    Promise.resolve({
      open: () => openEventStoreDbEventLog({ url: server.url }),
      remove: () => Promise.resolve(),
    }),
  );
});
