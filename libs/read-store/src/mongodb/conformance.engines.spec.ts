import { randomUUID } from 'node:crypto';
import { dropDatabase } from '@refledger/testing/mongodb';
import { databaseUrl, describeOnServer } from '@refledger/testing/servers';
import { readStoreConformance } from '../conformance/index.js';
import { openMongodbReadStore } from './mongodb-read-store.js';

describeOnServer('MongoDB', 'the read store on MongoDB', (server) => {
  const newDatabase = () => {
    const database = `refledger-${randomUUID()}`;
    return Promise.resolve({
      open: (mode: 'write' | 'read') =>
        openMongodbReadStore({ url: databaseUrl(server().url, database), mode }),
      remove: () => dropDatabase(server().url, database),
    });
  };
  // Saves are split into parts of 500 documents.
  readStoreConformance('MongoDB', newDatabase, { bulkSize: 1_200 });
});
