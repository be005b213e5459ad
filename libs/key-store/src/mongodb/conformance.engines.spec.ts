import { randomUUID } from 'node:crypto';
import { dropDatabase } from '@refledger/testing/mongodb';
import { databaseUrl, describeOnServer } from '@refledger/testing/servers';
import { keyStoreConformance } from '../conformance/index.js';
import { openKeyReader, openKeyStore } from '../open-key-store.js';

describeOnServer('MongoDB', 'the key store on MongoDB', (server) => {
  keyStoreConformance('MongoDB', () => {
    const database = `refledger-${randomUUID()}`;
    const url = databaseUrl(server().url, database);
    return Promise.resolve({
      open: (create, newId) => openKeyStore(url, { dataDir: '', create, newId }),
      read: () => openKeyReader(url, { dataDir: '' }),
      remove: () => dropDatabase(server().url, database),
    });
  });
});
