import { randomUUID } from 'node:crypto';
import { databaseUrl, describeWithServer, nameOf, startMongodb, type TestServer } from '@refledger/testing/servers';
import { MongoClient } from 'mongodb';
import { deliveryStoreConformance } from '../conformance/index.js';
import { openMongodbDeliveryStore } from './mongodb-delivery-store.js';

describe.each([{ standalone: false }, { standalone: true }])('a server, %p', (options) => {
  describeWithServer('MongoDB', 'of MongoDB', () => {
    let server: TestServer;
    let client: MongoClient;
    beforeAll(async () => {
      server = await startMongodb(options);
      process.stderr.write(`the delivery store on ${nameOf(server)} ${JSON.stringify(options)}\n`);
      client = new MongoClient(server.url);
    });
    afterAll(async () => {
      await client.close();
      await server.stop();
    });

    deliveryStoreConformance('MongoDB', () => {
      const database = `refledger-${randomUUID()}`;
      return Promise.resolve({
        open: () => openMongodbDeliveryStore({ url: databaseUrl(server.url, database) }),
        destroy: async () => void (await client.db(database).dropDatabase()),
      });
    });
  });
});
