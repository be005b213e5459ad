import { randomUUID } from 'node:crypto';
import {
  databaseUrl,
  describeOnServer,
  startEventStoreDb,
  type TestServer,
} from '@refledger/testing/servers';
import { endpointHistorySuite } from './endpoint-history.suite.js';
import { openEngines, type OpenEngines } from './engines.js';
import { storedEndpointsSuite } from './stored-endpoints.suite.js';
import { storedKeysSuite } from './stored-keys.suite.js';

describeOnServer('MongoDB', 'on EventStoreDB and MongoDB', (mongodb) => {
  let eventStoreDb: TestServer;
  beforeAll(async () => void (eventStoreDb = await startEventStoreDb()));
  afterAll(() => eventStoreDb.stop());
  const open: OpenEngines = () =>
    openEngines(eventStoreDb.url, databaseUrl(mongodb().url, `refledger-${randomUUID()}`));

  endpointHistorySuite(open);
  storedEndpointsSuite(open);
  storedKeysSuite(open);
});
