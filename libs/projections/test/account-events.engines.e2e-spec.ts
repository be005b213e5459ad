import { randomUUID } from 'node:crypto';
import { openReadStore } from '@refledger/read-store';
import { dropDatabase } from '@refledger/testing/mongodb';
import { databaseUrl, describeOnServer } from '@refledger/testing/servers';
import { accountEventsSuite } from './account-events.suite.js';

describeOnServer('MongoDB', 'the events of an account on MongoDB', (server) => {
  const database = `refledger-${randomUUID()}`;
  accountEventsSuite({
    open: () => openReadStore(databaseUrl(server().url, database), { dataDir: '', mode: 'write' }),
    remove: async (store) => {
      await store.close();
      await dropDatabase(server().url, database);
    },
  });
});
