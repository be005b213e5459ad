import { randomUUID } from 'node:crypto';
import { dropDatabase } from '@refledger/testing/mongodb';
import { databaseUrl, describeOnServer } from '@refledger/testing/servers';
import { deliveryStoreConformance } from '../conformance/index.js';
import { openMongodbDeliveryReader } from './mongodb-delivery-reader.js';
import { openMongodbDeliveryStore } from './mongodb-delivery-store.js';

describeOnServer('MongoDB', 'the delivery store on MongoDB', (server) => {
  deliveryStoreConformance('MongoDB', () => {
    const database = `refledger-${randomUUID()}`;
    return Promise.resolve({
      open: () => openMongodbDeliveryStore({ url: databaseUrl(server().url, database) }),
      read: () => openMongodbDeliveryReader({ url: databaseUrl(server().url, database) }),
      destroy: () => dropDatabase(server().url, database),
    });
  });
});
